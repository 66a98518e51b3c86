#define CUDART_INF_F ((float)INFINITY)
