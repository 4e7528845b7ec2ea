# A hand-made table of runs for the tests. Its numbers are invented, they have
# never been measured, and they are written to temporary files only.

fixture_columns <- c(
  "schema_version", "source", "back_end", "profile", "nic", "experiment", "run_id", "replicate",
  "operation", "worker_operation", "locality", "client_locality", "worker_locality",
  "queue_pairs", "threads", "access_bytes", "mtu_bytes", "max_rd_atomic", "window", "loop",
  "workers", "worker_write_fraction", "load_kind", "load_bytes", "load_node", "slot_layout",
  "cache_state", "ddio", "operations", "throughput_published_ops", "throughput_ops",
  "throughput_low_ops", "throughput_high_ops", "latency_mean_ns", "latency_sd_ns",
  "latency_p50_ns", "latency_p99_ns", "latency_p999_ns", "samples", "valid", "doubts"
)

# The invented quantities of a design: a curve by queue pairs, a step for remote
# memory, and a spread over replicates of -1, 0 and +1 parts of `spread`.
fixture_quantities <- function(runs, spread) {
  remote <- runs$locality == "rdma-remote"
  late <- pmax(0, log2(runs$queue_pairs) - 3)
  wobble <- 1 + spread * ((runs$replicate - 1) %% 3 - 1)
  base <- 2100 + 200 * (runs$operation == "read") + 0.3 * runs$access_bytes
  runs[, latency_mean_ns := round((base + 120 * remote + 420 * late^2) * wobble)]
  ceiling <- 6.1e6 - 3e5 * remote - 900 * runs$access_bytes
  runs[, throughput_ops := round(ceiling * queue_pairs / (queue_pairs + 3) * wobble)]
}

# A table of runs as text, one row for each combination of the given levels.
fixture_runs <- function(queue_pairs = c(1, 2, 4, 8), operation = c("read", "write"),
                         access_bytes = c(64, 1024), locality = c("rdma-local", "rdma-remote"),
                         replicate = 1:3, loop = c("closed", "saturating"), spread = 0.03,
                         fixed = list()) {
  runs <- CJ(loop, operation, access_bytes, locality, queue_pairs, replicate)
  fixture_quantities(runs, spread)
  runs[loop == "saturating", latency_mean_ns := NA]
  constant <- list(
    schema_version = 3, source = "soft-roce", back_end = "verbs", profile = "lab", nic = "rxe0",
    experiment = "fixture", worker_operation = "none", client_locality = "rdma-local",
    threads = 1, mtu_bytes = 1024, max_rd_atomic = 1, window = 1, workers = 0,
    load_kind = "none", load_node = "none", slot_layout = "packed", cache_state = "default",
    ddio = "default", samples = 1000, valid = "true"
  )
  constant[names(fixed)] <- fixed
  for (column in names(constant)) set(runs, j = column, value = constant[[column]])
  runs[, run_id := sprintf("fixture-%04d", .I)]
  absent <- setdiff(fixture_columns, names(runs))
  for (column in absent) set(runs, j = column, value = NA_character_)
  setcolorder(runs, fixture_columns)[]
}

# Writes a table the way the harness does, and returns the path.
write_fixture <- function(runs, path = tempfile(fileext = ".csv.gz")) {
  fwrite(runs, path, na = "", compress = if (endsWith(path, ".gz")) "gzip" else "none")
  path
}

# The table as the figures see it.
read_fixture <- function(runs) read_runs(write_fixture(runs))

# Saturating writes of one design point.
saturating <- function(...) {
  fixture_runs(
    queue_pairs = 8, operation = "write", access_bytes = 8, loop = "saturating", replicate = 1, ...
  )
}

# One table of the runs made with each of the lists of fixed factors.
runs_with <- function(...) {
  parts <- lapply(list(...), function(fixed) saturating(fixed = fixed))
  read_fixture(rbindlist(parts)[, run_id := sprintf("run-%03d", .I)])
}

# Layers of a figure of curves, in drawing order: lines, intervals over runs,
# intervals of runs, single runs, arrows, means, and hollow means after them.
bars_of <- function(figure) layer_data(figure$plot, 2)
singles_of <- function(figure) layer_data(figure$plot, 4)
means_of <- function(figure) layer_data(figure$plot, 6)
layout_of <- function(figure) ggplot_build(figure$plot)$layout$layout

# A caption without its breaks of lines.
flat <- function(text) gsub("\n", " ", text)

# The caption of a figure in one line, with plain spaces.
caption_of <- function(figure) gsub("\u00a0", " ", flat(figure$plot$labels$caption))

# Origins beside that of the fixture, which is software.
hardware <- list(source = "measured", nic = "mlx5_0", profile = "cx4")
model <- list(source = "simulated", back_end = "sim", nic = NA)

one_size <- function(...) fixture_runs(access_bytes = 64, ...)

# The fixture as of a model beside the same from hardware, whose throughput is `faster` and
# whose latency shorter by as much.
overlay_of <- function(faster = 3, fixed = list(), ...) {
  other <- one_size(fixed = c(hardware, fixed), ...)
  other[, throughput_ops := round(throughput_ops * faster)]
  other[, latency_mean_ns := round(latency_mean_ns / faster)]
  read_fixture(rbind(one_size(fixed = model, ...), other))
}

scale_of <- function(figure, aesthetic) {
  Filter(function(scale) aesthetic %in% scale$aesthetics, figure$plot$scales$scales)[[1]]
}

is_logarithmic <- function(figure) scale_of(figure, "y")$trans$name == "log-10"

# Runs one of the figure scripts in a process of its own, from another folder:
# `status`, `output` (lines) and `errors` (one text).
run_script <- function(name, ..., folder = figures) {
  file <- if (name == "draw") name else paste0(name, ".R")
  errors <- tempfile()
  before <- setwd(tempdir())
  on.exit(setwd(before))
  output <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(file.path(folder, file)), shQuote(c(...))),
    stdout = TRUE, stderr = errors
  ))
  status <- attr(output, "status")
  list(
    status = if (is.null(status)) 0L else status,
    output = as.character(output), errors = paste(readLines(errors), collapse = "\n")
  )
}

# `code` in another time zone.
with_zone <- function(zone, code) {
  before <- Sys.getenv("TZ", NA)
  on.exit(if (is.na(before)) Sys.unsetenv("TZ") else Sys.setenv(TZ = before))
  Sys.setenv(TZ = zone)
  force(code)
}

# The stored runs of the study, and those of its ConnectX-3 once more as if of another source, a
# hundred times as slow.
study_beside <- function(source, back_end, nic) {
  path <- file.path(dirname(figures), "data", "published", table_files[["runs"]])
  skip_if_not(file.exists(path), paste("no", path))
  study <- read_runs(path)
  of <- list(source, back_end, nic)
  own <- study[profile == "nurdma-cx3" & code_generation == "v2" & is.na(duplicate_of)]
  own[, `:=`(
    source = factor(of[[1]], run_levels$source), back_end = of[[2]], profile = "lab",
    nic = of[[3]], threads = pmin(threads, queue_pairs), max_rd_atomic = NA_real_,
    throughput_ops = throughput_ops / 100, latency_mean_ns = latency_mean_ns * 20,
    code_generation = NA_character_, campaign = NA_character_
  )]
  list(study = study, both = rbind(study, own))
}

# A stored table of `onesided pcie`.
arithmetic <- function(name) file.path(dirname(figures), "data", "arithmetic", table_files[[name]])
