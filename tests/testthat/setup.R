# Tests compare bits, so everything runs on the CPU unless a test says otherwise, also where
# device = "auto" would choose a GPU.
options(pcfdist.device = "cpu")
