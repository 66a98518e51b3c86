/* What there is of CUDA: built in, driver, devices, and code for them. */
#ifndef PCF_CUDA_INFO_H
#define PCF_CUDA_INFO_H

enum { PCF_MAX_GPUS = 16 };

struct pcf_gpu_info {
  char name[256];
  int capability; /* major · 10 + minor */
  int multiprocessors;
  double memory, free_memory; /* bytes */
  int has_code;               /* does this build have code for it? */
};

struct pcf_cuda_info {
  int built;           /* was the package built with CUDA? */
  int driver, runtime; /* versions, major · 1000 + minor · 10; 0: none */
  int count;           /* of devices, at most PCF_MAX_GPUS */
  struct pcf_gpu_info gpu[PCF_MAX_GPUS];
  char problem[320]; /* why CUDA cannot be used; "" if it can */
};

/* Fills `info`. The first call of a process starts CUDA, which takes a moment. */
void pcf_cuda_describe(struct pcf_cuda_info *info);

/* For tests: lets every device have no more than `memory` bytes (0: what there is) without the
 * plan's knowing, and every launch of the sweep be impossible. */
void pcf_cuda_provoke(double memory, int launch);

struct pcf_cuda_provocation {
  double memory;
  int launch;
};
extern struct pcf_cuda_provocation pcf_cuda_provocation;

/* Frees what is kept between calls. */
void pcf_cuda_unload(void);

#endif
