# All figures at once, through `figures/draw` and, for one, its own script.

published_folder <- file.path(dirname(figures), "data", "published")

figure_names <- sub("[.]R$", "", list.files(figures, "[.]R$"))

# What is drawn of tables that are not of runs.
beside_runs <- c(
  "atomics-by-counters", "fabric-messages", "fabric-reads", "key-value-by-puts", "memory-latency",
  "node-hardware", "pcie-bytes", "send-limits", "shapes-by-size", "shapes-by-window",
  "verb-transactions", "verbs-by-transport"
)

# What is drawn of the model's predictions, which the workflow makes itself.
of_predictions <- c("predicted-against-measured", "prediction-errors", "prediction-signs")

# What is drawn of the model's sweeps alone, likewise.
of_sweeps <- "saturation"

# What the study could not ask, so that no stored table has it.
beyond_the_study <- c(
  "ddio-off-client-local", "fabric-pagerank", "inbound-by-service", "latency-by-offered-rate",
  "outbound-by-payload", "queue-pairs-by-threads", "reads-in-flight", "sends-by-payload",
  "sends-by-queue-pairs", "slot-layout", "throughput-by-client-hosts",
  "throughput-by-eight-threads", "throughput-by-service", "throughput-by-think-time",
  "throughput-by-window", "throughput-of-one-thread", "worker-patterns"
)

test_that("the workflow draws every script that needs no measurement, and lists no other", {
  configuration <- file.path(dirname(figures), "config", "config.yaml")
  skip_if_not(file.exists(configuration), paste("no", configuration))
  skip_if_not_installed("yaml")
  tables <- yaml::read_yaml(configuration)$tables
  stored <- tables[c("published", "stated", "arithmetic")]
  of_study <- unlist(lapply(stored, `[[`, "figures"), use.names = FALSE)
  known <- setdiff(figure_names, c(beyond_the_study, of_predictions, of_sweeps))
  expect_equal(sort(of_study, method = "radix"), sort(known, method = "radix"))
  listed <- unlist(lapply(tables, `[[`, "figures"))
  expect_equal(setdiff(listed, figure_names), character())
})

test_that("every stored figure is drawn, and some a second time: byte by byte the same", {
  skip_if_not(dir.exists(published_folder), paste("no", published_folder))
  outs <- c(tempfile("first"), tempfile("second"))
  first <- run_script("draw", "--out", outs[1], "--tables", published_folder, "--if-any")
  again <- c(
    "improvement-by-workers", "latency-by-queue-pair-index", "latency-by-queue-pairs",
    "memcached-by-clients", "throughput-by-workers", "window-traces"
  )
  second <- with_zone("Asia/Tokyo", run_script(
    "draw", "--out", outs[2], "--tables", published_folder, "--jobs", "1",
    "--figures", paste(again, collapse = ",")
  ))
  expect_equal(c(first$status, second$status), c(0L, 0L))
  files <- list.files(outs[1])
  drawn <- setdiff(figure_names, c(beside_runs, beyond_the_study, of_predictions, of_sweeps))
  expect_true(all(outer(drawn, figure_formats, paste, sep = ".") %in% files))
  expect_equal(length(files), length(drawn) * length(figure_formats))
  files <- list.files(outs[2])
  expect_equal(length(files), length(again) * length(figure_formats))
  sums <- lapply(outs, function(out) unname(tools::md5sum(file.path(out, files))))
  expect_equal(files[sums[[1]] != sums[[2]]], character())
  alone <- tempfile("alone")
  Sys.sleep(1.1)
  run <- run_script("workers-poster", "--tables", published_folder, "--out", alone)
  expect_equal(run$status, 0L)
  of_alone <- file.path(alone, list.files(alone))
  expect_equal(
    unname(tools::md5sum(of_alone)),
    unname(tools::md5sum(file.path(outs[1], basename(of_alone))))
  )
})

test_that("some figures can be asked for, and an unknown one is refused", {
  runs <- write_fixture(fixture_runs())
  out <- tempfile("out")
  asked <- c("--runs", runs, "--formats", "svg", "--figures")
  run <- run_script("draw", "--out", out, asked, "latency-by-queue-pairs,throughput-by-queue-pairs")
  expect_equal(run$status, 0L)
  expect_equal(list.files(out), paste0(c("latency", "throughput"), "-by-queue-pairs.svg"))
  run <- run_script("draw", "--out", tempfile("out"), asked, "latency")
  expect_equal(run$status, 2L)
  expect_match(run$errors, "unknown figure 'latency'")
})

test_that("a figure without runs makes exit 3, one refused exit 2, and others are drawn", {
  runs <- write_fixture(fixture_runs())
  out <- tempfile("out")
  asked <- c("--runs", runs, "--formats", "svg", "--figures")
  run <- run_script("draw", "--out", out, asked, "atomics,latency-by-queue-pairs")
  expect_equal(run$status, 3L)
  expect_equal(list.files(out), "latency-by-queue-pairs.svg")
  runs <- write_fixture(fixture_runs()[, !"throughput_published_ops"])
  run <- run_script(
    "draw", "--out", out, "--runs", runs, "--formats", "svg", "--if-any",
    "--figures", "atomics,estimator-disagreement"
  )
  expect_equal(run$status, 2L)
  expect_match(run$errors, "lacks the column 'throughput_published_ops'")
  run <- run_script(
    "draw", "--out", out, "--runs", runs, "--figures", "atomics,estimator-disagreement"
  )
  expect_equal(run$status, 2L)
})
