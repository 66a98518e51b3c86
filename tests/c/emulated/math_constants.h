#define CUDART_INF_F ((float)INFINITY)
#define CUDART_INF ((double)INFINITY)
#define CUDART_NAN ((double)NAN)
