/* What the vector operations of x86 have in common whatever their width: V_OP(add) is
 * _mm512_add_pd and so on. Before it are V_WIDTH, as in those names, V_BITS, the bits of a
 * vector, and V_LONGS(), which fills one with an integer of 64 bits. */
#define V_NAME(width, operation, type) V_NAME_2(width, operation, type)
#define V_NAME_2(width, operation, type) _mm##width##_##operation##_##type
#define V_CAST(width, from, to) V_CAST_2(width, from, to)
#define V_CAST_2(width, from, to) _mm##width##_cast##from##_##to
#define V_JOIN(a, b) V_JOIN_2(a, b)
#define V_JOIN_2(a, b) a##b

/* Operations on numbers, and on the integers that have their bits. */
#define V_OP(operation) V_NAME(V_WIDTH, operation, V_TYPE)
#define V_ON_INTEGERS(operation) V_NAME(V_WIDTH, operation, V_INTEGER)
#define V_OF_BITS(a) V_CAST(V_WIDTH, V_JOIN(si, V_BITS), V_TYPE)(a)
#define V_TO_BITS(a) V_CAST(V_WIDTH, V_TYPE, V_JOIN(si, V_BITS))(a)

#if PCF_SINGLE
#define V_TYPE ps
#define V_INTEGER epi32
#define v_bits(n) V_OF_BITS(V_ON_INTEGERS(set1)((int)(n)))
#else
#define V_TYPE pd
#define V_INTEGER epi64
#define v_bits(n) V_OF_BITS(V_LONGS((long long)(n)))
#define v_add_to_doubles(p, a) v_store(p, v_add(v_load(p), a))
#endif

#define v_load(p) V_OP(loadu)(p)
#define v_store(p, a) V_OP(storeu)(p, a)
#define v_set1(x) V_OP(set1)(x)
#define v_add(a, b) V_OP(add)(a, b)
#define v_sub(a, b) V_OP(sub)(a, b)
#define v_mul(a, b) V_OP(mul)(a, b)
#define v_div(a, b) V_OP(div)(a, b)
#define v_max(a, b) V_OP(max)(a, b)
#define v_min(a, b) V_OP(min)(a, b)
#define v_sqrt(a) V_OP(sqrt)(a)
#define v_add_bits(a, b) V_OF_BITS(V_ON_INTEGERS(add)(V_TO_BITS(a), V_TO_BITS(b)))
#define v_left(a, n) V_OF_BITS(V_ON_INTEGERS(slli)(V_TO_BITS(a), n))
#define v_right(a, n) V_OF_BITS(V_ON_INTEGERS(srli)(V_TO_BITS(a), n))

/* Vectors of B_WORDS words of eight bytes, and sums of the differences of bytes, one a word. */
#define B_WIDTH V_WIDTH
#define B_BITS V_BITS
#define B_WORDS (B_BITS / 64)
#define B V_JOIN(V_JOIN(__m, B_BITS), i)
#define B_SUM B
#define B_OP(operation, type) V_NAME(B_WIDTH, operation, type)
#define B_ALL V_JOIN(si, B_BITS)
#define b_load(p) B_OP(loadu, B_ALL)((const B *)(p))
#define b_or(a, b) B_OP(or, B_ALL)(a, b)
#define b_less(a, b) B_OP(subs, epu8)(a, b)
#define b_no_sum() B_OP(setzero, B_ALL)()
#define b_add_apart(sum, a, b) B_OP(add, epi64)(sum, B_OP(sad, epu8)(a, b))

#if V_BITS < 512 /* whose masks are vectors */
#define b_set1(word) B_OP(set1, epi64x)((long long)(word))
#define b_greater(sum, than) \
  B_OP(movemask, pd)(V_CAST(B_WIDTH, B_ALL, pd)(B_OP(sub, epi64)(than, sum)))
#define MASK V
#define v_and(a, b) V_OP (and)(a, b)
#define v_or(a, b) V_OP(or)(a, b)
#define v_abs(a) V_OP(andnot)(v_set1(-0.0f), a)
#define v_where_greater(w, than, a) v_and(v_greater(w, than), a)
#endif
