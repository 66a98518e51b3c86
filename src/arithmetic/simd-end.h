/* Undefines what differs from one simd-*.h header to the other, so that the next one can
 * follow. */
#undef TARGET
#undef LANES
#undef V
#undef v_square_known
#undef v_of_sixteen
#undef v_abs
#undef v_sqrt
#undef v_bits
#undef v_bits_of
#undef v_add_to_doubles
#undef v_even
#undef v_odd
#undef MASK
#undef v_has_bit
#undef v_exchange
#undef V_OP_OF_BITS
#undef V_OP_TO_BITS
#undef V_TYPE
#undef V_INTEGER
#undef V_ABSOLUTE
#undef V_GREATER
