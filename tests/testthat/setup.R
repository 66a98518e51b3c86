# Tests compare bits, so everything runs on the CPU unless a test says otherwise, also where
# device = "auto" would choose a GPU.
options(pcfdist.device = "cpu")

# CRAN allows two cores. Tests that ask for more threads have them on these.
if (Sys.getenv("NOT_CRAN") != "true" && .Platform$OS.type == "unix") {
  parallel::mcaffinity(utils::head(parallel::mcaffinity(), 2))
}
