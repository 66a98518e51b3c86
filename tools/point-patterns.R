# Makes inst/extdata/point-patterns.csv and point-patterns-h1.csv: 90 patterns of 60 points in the
# unit square, 30 of each of three processes, and the bars of dimension 1 of their Vietoris-Rips
# filtrations, which stablebear's Ripser computes from the points as they are in the first file.
# Usage: bench/venv.sh && Rscript tools/point-patterns.R

count <- 60

random <- function() cbind(runif(count), runif(count))

# Thomas' process, given the number of points: around each of 25 places lie normal points. Those
# outside of the square come back in on the other side.
clustered <- function() {
  place <- cbind(runif(25), runif(25))[sample(25, count, replace = TRUE), ]
  (place + rnorm(2 * count, sd = 0.06)) %% 1
}

# Sequential inhibition: no two points are nearer than 0.06.
regular <- function() {
  points <- matrix(0, 0, 2)
  while (nrow(points) < count) {
    new <- runif(2)
    if (all(colSums((t(points) - new)^2) >= 0.06^2)) points <- rbind(points, new)
  }
  points
}

set.seed(20261122)
process <- rep(c("random", "clustered", "regular"), each = 30)
clouds <- lapply(process, function(name) round(match.fun(name)(), 4))
points <- data.frame(
  pattern = rep(seq_along(clouds), each = count), process = rep(process, each = count),
  x = unlist(lapply(clouds, function(p) p[, 1])), y = unlist(lapply(clouds, function(p) p[, 2]))
)
write.csv(points, "inst/extdata/point-patterns.csv", row.names = FALSE, quote = FALSE)
status <- system2("bench/.venv/bin/python", c(
  "tools/point-patterns.py", "inst/extdata/point-patterns.csv", "inst/extdata/point-patterns-h1.csv"
))
stopifnot(status == 0)
