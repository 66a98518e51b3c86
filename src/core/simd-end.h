/* Undefines what a simd-*.h header defined, so that the next one can follow. */
#undef TARGET
#undef LANES
#undef V
#undef v_load
#undef v_store
#undef v_set1
#undef v_add
#undef v_sub
#undef v_mul
#undef v_fma
#undef v_max
#undef v_abs
#undef v_sqrt
#undef v_where_positive
