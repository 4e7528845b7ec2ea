# The tables that `onesided fabric` writes, and what is stated of the same.

emulated_reads <- function() {
  rows <- data.table(expand.grid(
    access_bytes = c(64, 512, 8192), sides = c("single", "double"), replicate = 1:3,
    stringsAsFactors = FALSE
  ))
  rows[, `:=`(
    schema_version = tail(versions_of(fabric_kinds), 1), source = "emulated", back_end = "rmc",
    profile = "two-cores", fabric_hop_ns = 0, operation = "read",
    latency_ns = 100 + access_bytes + 10 * replicate, bandwidth_gbit_per_s = access_bytes / 100,
    doubts = fifelse(sides == "double", "crowded", NA_character_)
  )]
  adds <- copy(rows[access_bytes == 64])[, `:=`(operation = "fetch-and-add", access_bytes = 8)]
  rbind(rows, adds)
}

stated_fabric <- function(name) file.path(dirname(figures), "data", "stated", name)

test_that("curves are of one machine and side, medians of the replicates", {
  figure <- draw_fabric_reads(read_fabric(write_fixture(emulated_reads()), "latency_ns"))
  lines <- layer_data(figure$plot, 1)
  expect_equal(unique(lines$group), 1:2)
  expect_equal(10^sort(lines$y[lines$PANEL == 1 & lines$group == 1]), 0.12 + c(64, 512, 8192) / 1e3)
  expect_equal(nlevels(figure$plot$layers[[1]]$data$series), 2)
  expect_match(caption_of(figure), "n = 3", fixed = TRUE)
  expect_match(caption_of(figure), "White centre")
})

test_that("other buffers are other curves; disturbed rows are marked, misplaced ones left out", {
  disturbed <- emulated_reads()[sides == "single"]
  disturbed[, buffer_bytes := 262144]
  disturbed[replicate == 1, doubts := "preempted"]
  large <- copy(disturbed)[, `:=`(buffer_bytes = 67108864, hop_by_distance = "false")]
  elsewhere <- copy(large)[, `:=`(
    buffer_bytes = 8192, replicate = replicate + 3, doubts = "pages-misplaced"
  )]
  for (word in c("another-measurement", "cpu-stolen", "preempted")) {
    disturbed[replicate == 1, doubts := word]
    marked <- draw_fabric_reads(read_fabric(write_fixture(disturbed), "latency_ns"))
    expect_match(caption_of(marked), "White centre")
  }
  path <- write_fixture(rbind(disturbed, large, elsewhere, fill = TRUE))
  figure <- draw_fabric_reads(read_fabric(path, "latency_ns"))
  expect_equal(nlevels(figure$plot$layers[[1]]$data$series), 2)
  expect_match(caption_of(figure), "White centre")
  expect_match(caption_of(figure), "Not drawn: 12 rows of memory elsewhere than asked")
})

test_that("one thread a node is another curve, and so are fewer operations under way", {
  deep <- emulated_reads()[sides == "single"][, `:=`(window = 64, threads_per_node = 2)]
  deep[access_bytes == 8192, window := 16]
  usual <- draw_fabric_reads(read_fabric(write_fixture(deep), "latency_ns"))
  expect_equal(nlevels(usual$plot$layers[[1]]$data$series), 1)
  alone <- copy(deep)[, threads_per_node := 1]
  shallow <- copy(deep)[, window := 8]
  path <- write_fixture(rbind(deep, alone, shallow))
  figure <- draw_fabric_reads(read_fabric(path, "latency_ns"))
  expect_equal(levels(figure$plot$layers[[1]]$data$series), c(
    "two-cores, rmc, single", "two-cores, rmc, single, one thread a node",
    "two-cores, rmc, single, 8 under way"
  ))
  lines <- layer_data(figure$plot, 1)
  expect_setequal(lines$group[lines$PANEL == 1], 1:2)
  expect_setequal(lines$group[lines$PANEL == 2], 1:3)
  expect_match(flat(caption_of(figure)), "One thread a node asks and answers in turns")
  expect_match(flat(caption_of(figure)), "the most that were measured")
})

test_that("direct reads are a curve of their own, and said to be of no memory controller", {
  rows <- emulated_reads()[sides == "single" & operation == "read"]
  rows[, `:=`(window = 64, threads_per_node = 2, read_way = "packets")]
  direct <- copy(rows)[, `:=`(
    read_way = "emulated-direct", window = NA, threads_per_node = NA
  )]
  figure <- draw_fabric_reads(read_fabric(write_fixture(rbind(rows, direct)), "latency_ns"))
  expect_equal(levels(figure$plot$layers[[1]]$data$series), c(
    "two-cores, rmc, single", "two-cores, rmc, direct, single"
  ))
  expect_match(flat(caption_of(figure)), "no memory controller does that")
  usual <- draw_fabric_reads(read_fabric(write_fixture(rows), "latency_ns"))
  expect_no_match(flat(caption_of(usual)), "direct")
})

test_that("no two series have the same colour and shape", {
  scales <- fabric_scales(paste("series", 1:12))
  looks <- lapply(scales, function(scale) scale$palette(12))
  expect_false(anyDuplicated(do.call(paste, looks)) > 0)
})

test_that("fetch-and-adds are beside the curve, at 8 bytes, and have no bandwidth", {
  figure <- draw_fabric_reads(read_fabric(write_fixture(emulated_reads()), "latency_ns"))
  points <- layer_data(figure$plot, 3)
  expect_equal(as.character(unique(points$PANEL[round(points$x) == 3])), "1")
  expect_false(3 %in% round(layer_data(figure$plot, 1)$x))
})

test_that("stated numbers are symbols of their own, or lines where no size is stated", {
  path <- stated_fabric("fabric-reads.csv")
  skip_if_not(file.exists(path), paste("no", path))
  paths <- paste(path, write_fixture(emulated_reads()), sep = ",")
  figure <- draw_fabric_reads(read_fabric(paths, "latency_ns"))
  expect_match(flat(figure$plot$labels$subtitle), "stated in its paper's text")
  expect_match(flat(figure$plot$labels$subtitle), "two-cores: a NIC in software")
  expect_match(flat(caption_of(figure)), "not measured here")
  # Latency of RDMA; the largest bandwidths of all three.
  expect_equal(sort(10^layer_data(figure$plot, 6)$yintercept), c(1.19, 1.8, 50, 77))
})

test_that("what is stated of other machines is in panels beside those of the emulated fabric", {
  path <- stated_fabric("fabric-reads.csv")
  skip_if_not(file.exists(path), paste("no", path))
  paths <- paste(path, write_fixture(emulated_reads()), sep = ",")
  figure <- draw_fabric_reads(read_fabric(paths, "latency_ns"))
  panels <- as.character(layout_of(figure)$panel)
  expect_equal(panels, c(
    "Latency (\u00b5s), emulated", "Bandwidth (Gb/s), emulated",
    "Latency (\u00b5s), stated", "Bandwidth (Gb/s), stated"
  ))
  # Curves and their symbols, then what is stated: points, and lines across.
  for (layer in 1:3) expect_setequal(layer_data(figure$plot, layer)$PANEL, 1:2)
  for (layer in 5:6) expect_setequal(layer_data(figure$plot, layer)$PANEL, 3:4)
  expect_match(caption_of(figure), paste(
    "Not laid over each other: emulated runs show how fast software is on some host, and nothing",
    "of a card."
  ), fixed = TRUE)
  alone <- draw_fabric_reads(read_fabric(write_fixture(emulated_reads()), "latency_ns"))
  expect_equal(as.character(layout_of(alone)$panel), c("Latency (\u00b5s)", "Bandwidth (Gb/s)"))
  expect_gt(figure$height_in, alone$height_in)
  expect_no_match(caption_of(alone), "Not laid over each other")
})

test_that("rows of wrong content are not drawn, and counted", {
  rows <- emulated_reads()[, doubts := fifelse(replicate == 3, "content-differs", doubts)]
  figure <- draw_fabric_reads(read_fabric(write_fixture(rows), "latency_ns"))
  expect_match(caption_of(figure), "n = 2", fixed = TRUE)
  expect_match(caption_of(figure), "8 rows of wrong content")
  rows[, doubts := "content-differs"]
  expect_error(
    draw_fabric_reads(read_fabric(write_fixture(rows), "latency_ns")), "wrong content",
    class = "nothing_to_draw"
  )
})

test_that("a row that stands there twice is refused, and a way that is none", {
  rows <- emulated_reads()
  expect_error(read_fabric(write_fixture(rbind(rows, rows[1]))), class = "figure_error")
  rows[, sides := "triple"]
  expect_error(read_fabric(write_fixture(rows)), "'triple'", class = "figure_error")
})

test_that("messages say of which length on they are pulled, and whose thread has the ends", {
  rows <- data.table(expand.grid(
    message_bytes = c(64, 4096), way = c("push", "pull", "combined"), stringsAsFactors = FALSE
  ))
  rows[, `:=`(
    source = "emulated", back_end = "rmc", profile = "two-cores", fabric_hop_ns = 50,
    threshold_bytes = fifelse(way == "combined", 768, NA_real_), latency_ns = 500,
    bandwidth_gbit_per_s = 2, replicate = 1, threads = 1, doubts = NA
  )]
  paths <- write_fixture(rows)
  path <- stated_fabric("fabric-messages.csv")
  if (file.exists(path)) paths <- paste(path, paths, sep = ",")
  figure <- draw_fabric_messages(read_fabric(paths, "latency_ns"))
  series <- levels(figure$plot$layers[[1]]$data$series)
  expect_true("two-cores, rmc, hop 50 ns, combined (pull from 768 B)" %in% series)
  expect_match(flat(caption_of(figure)), "of one thread")
  if (file.exists(path)) expect_match(flat(caption_of(figure)), "4 KiB is a lower bound")
})

test_that("messages over TCP are a curve without a way, and said to be of the kernel", {
  rows <- data.table(expand.grid(
    message_bytes = c(64, 4096), back_end = c("rmc", "tcp"), stringsAsFactors = FALSE
  ))
  is_tcp <- rows$back_end == "tcp"
  rows[, `:=`(
    source = "emulated", profile = "two-cores", fabric_hop_ns = fifelse(is_tcp, NA_real_, 50),
    way = fifelse(is_tcp, NA_character_, "push"), latency_ns = fifelse(is_tcp, 9000, 500),
    threshold_bytes = NA_real_, bandwidth_gbit_per_s = 2, replicate = 1,
    threads = fifelse(is_tcp, 2, 1), doubts = NA
  )]
  figure <- draw_fabric_messages(read_fabric(write_fixture(rows), "latency_ns"))
  series <- levels(figure$plot$layers[[1]]$data$series)
  expect_equal(series, c("two-cores, rmc, hop 50 ns, push", "two-cores, tcp"))
  expect_match(flat(caption_of(figure)), "through the kernel on loopback")
  expect_match(flat(figure$plot$labels$subtitle), "back end tcp, profile two-cores: the kernel on")
  expect_match(flat(caption_of(figure)), "of one thread")
  expect_match(flat(caption_of(figure)), "Do not compare tcp with the others here")
  rows$threads <- 2
  alike <- draw_fabric_messages(read_fabric(write_fixture(rows), "latency_ns"))
  expect_false(grepl("Do not compare", flat(caption_of(alike))))
})

test_that("what is stated over TCP is lines beside ours, said to be of another machine", {
  path <- stated_fabric("fabric-messages.csv")
  skip_if_not(file.exists(path), paste("no", path))
  rows <- data.table(
    source = "emulated", back_end = "tcp", profile = "two-cores", fabric_hop_ns = NA_real_,
    way = NA_character_, message_bytes = c(64, 4096), threshold_bytes = NA_real_,
    latency_ns = 9000, bandwidth_gbit_per_s = 2, replicate = 1, threads = 2, doubts = NA
  )
  paths <- paste(path, write_fixture(rows), sep = ",")
  figure <- draw_fabric_messages(read_fabric(paths, "latency_ns"))
  lines <- layer_data(figure$plot, 6)
  # Half a round trip on the paper's simulator and on its emulation has no size, either.
  expect_equal(sort(10^lines$yintercept), c(0.34, 1.4, 2, 40))
  series <- levels(figure$plot$layers[[1]]$data$series)
  expect_true(all(c("two-cores, tcp", "stated: calxeda, tcp") %in% series))
  expect_match(flat(caption_of(figure)), "short messages is above its line")
  expect_match(flat(figure$plot$labels$subtitle), "asplos14-calxeda: stated in its paper's text")
  alone <- draw_fabric_messages(read_fabric(write_fixture(rows), "latency_ns"))
  expect_no_match(flat(caption_of(alone)), "above its line")
})

test_that("PageRank has a curve a variant over the nodes", {
  rows <- data.table(expand.grid(
    nodes = c(1, 2, 4), variant = c("shared-memory", "bulk", "fine-grain", "emulated-direct"),
    stringsAsFactors = FALSE
  ))
  rows[, `:=`(
    source = "emulated", back_end = "rmc", profile = "two-cores", fabric_hop_ns = 0,
    superstep_ns = 1e6 / nodes, speed_up = nodes, vertices = 4096, replicate = 1,
    doubts = fifelse(nodes > 2, "crowded", NA_character_)
  )]
  figure <- draw_fabric_pagerank(read_fabric(write_fixture(rows), "superstep_ns"))
  expect_equal(nrow(layer_data(figure$plot, 1)), 24)
  expect_equal(nrow(layer_data(figure$plot, 4)), 8)
  expect_match(caption_of(figure), "4096 vertices")
  rows[variant == "fine-grain", window := 64]
  usual <- draw_fabric_pagerank(read_fabric(write_fixture(rows), "superstep_ns"))
  series <- function(figure) levels(figure$plot$layers[[1]]$data$series)
  expect_equal(series(usual), series(figure))
  shallow <- rows[variant == "fine-grain"][, window := 16]
  both <- draw_fabric_pagerank(read_fabric(write_fixture(rbind(rows, shallow)), "superstep_ns"))
  named <- sprintf("two-cores, rmc, fine-grain, %d under way", c(16, 64))
  expect_true(all(named %in% series(both)))
  before <- copy(rows)[, window := NA]
  both <- draw_fabric_pagerank(read_fabric(write_fixture(rbind(before, shallow)), "superstep_ns"))
  expect_true(all(named %in% series(both)))
})
