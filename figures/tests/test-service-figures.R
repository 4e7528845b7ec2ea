# Figures by service, from small tables of invented numbers.

test_that("services stand in columns, and runs of one service have no figure of services", {
  sizes <- function(...) {
    lapply(c(8, 64), function(bytes) list(access_bytes = bytes, client_hosts = 1, ...))
  }
  reliable <- c(sizes(operation = "read", service = "rc"), sizes(service = "rc"))
  figure <- draw_inbound_by_service(do.call(runs_with, c(reliable, sizes(service = "uc"))))
  expect_setequal(as.character(layout_of(figure)$column), c("service rc", "service uc"))
  expect_match(caption_of(figure), "whether it arrived or not")
  one <- do.call(runs_with, reliable)
  expect_error(draw_inbound_by_service(one), "one service or none", class = "nothing_to_draw")
})

# Saturating sends of a service at each payload, with these further columns.
sends <- function(service, ..., bytes = c(8, 64)) {
  lapply(bytes, function(bytes) {
    list(
      operation = "send", loop = "saturating", post_list = 1, service = service,
      access_bytes = bytes, ...
    )
  })
}

test_that("messages stand by service over their payload, sends of one service are no figure", {
  all <- c(sends("rc"), sends("uc"), sends("ud"))
  runs <- do.call(runs_with, all)
  figure <- draw_throughput_by_service(runs)
  expect_setequal(
    as.character(layout_of(figure)$column), c("service rc", "service uc", "service ud")
  )
  # A table that is older than the count of what arrived.
  expect_setequal(means_of(figure)$y, runs$throughput_ops / 1e6)
  expect_match(caption_of(figure), "8 runs over uc and ud without a count of what arrived")
  expect_no_match(caption_of(figure), "share of the run's messages")
  alone <- do.call(runs_with, sends("ud"))
  expect_error(
    draw_throughput_by_service(alone), "one service or none",
    class = "nothing_to_draw"
  )
})

test_that("of an unreliable service the messages are drawn that arrived", {
  counted <- c(
    sends("rc", messages_sent = NA, messages_received = NA),
    sends("uc", messages_sent = 1000, messages_received = 800),
    sends("ud", messages_sent = 1000, messages_received = 980)
  )
  runs <- do.call(runs_with, counted)
  runs[, throughput_low_ops := 0.9 * throughput_ops]
  runs[, throughput_high_ops := 1.1 * throughput_ops]
  before <- copy(runs)
  figure <- draw_throughput_by_service(runs)
  arrived <- runs$throughput_ops * c(rc = 1, uc = 0.8, ud = 0.98)[runs$service] / 1e6
  expect_equal(sort(means_of(figure)$y), sort(unname(arrived)))
  own <- layer_data(figure$plot, 3)
  expect_equal(sort(own$ymin), sort(0.9 * unname(arrived)))
  expect_equal(sort(own$ymax), sort(1.1 * unname(arrived)))
  expect_equal(runs, before, label = "the table that was given")
  expect_match(caption_of(figure), "messages that arrived \\(80 % to 98 %\\)")
  expect_no_match(caption_of(figure), "without a count")
})

test_that("runs that do not say what arrived are counted, and drawn as sent", {
  unknown <- function(service) sends(service, messages_sent = NA, messages_received = NA)
  none <- sends("uc", messages_sent = 1000, messages_received = 0)
  runs <- do.call(runs_with, c(unknown("rc"), none, unknown("ud")))
  figure <- draw_throughput_by_service(runs)
  drawn <- runs$throughput_ops * c(rc = 1, uc = 0, ud = 1)[runs$service] / 1e6
  expect_equal(sort(means_of(figure)$y), sort(unname(drawn)))
  expect_match(caption_of(figure), "that arrived \\(0 %\\)")
  expect_match(caption_of(figure), "4 runs over uc and ud without a count")
})

test_that("messages without payload stand left of one byte, and gathered payloads are left out", {
  payloads <- c(0, 1, 60)
  inlined <- c(
    sends("rc", bytes = payloads, inline_bytes = 188),
    sends("ud", bytes = payloads, inline_bytes = 188)
  )
  figure <- draw_sends_by_payload(do.call(runs_with, c(inlined, sends("ud", inline_bytes = NA))))
  means <- means_of(figure)
  # Two localities stand beside each other.
  at <- sort(unique(means$x))
  expect_equal((at[c(1, 3, 5)] + at[c(2, 4, 6)]) / 2, c(-1, 0, log2(60)))
  expect_equal(nrow(means), 2 * length(inlined))
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  labels <- axis$get_labels()[!is.na(axis$get_breaks())]
  expect_equal(labels[1:2], c("0", "1"))
  expect_error(
    draw_sends_by_payload(do.call(runs_with, sends("ud", inline_bytes = NA))),
    "no messages whose payload is inlined",
    class = "nothing_to_draw"
  )
})

test_that("messages of one client host and of four stand in panels of their own", {
  hosts <- function(count) sends("rc", bytes = c(0, 60), inline_bytes = 60, client_hosts = count)
  figure <- draw_sends_by_payload(do.call(runs_with, c(hosts(1), hosts(4))))
  expect_equal(nrow(layout_of(figure)), 2)
  expect_match(paste(layout_of(figure)$column, collapse = " "), "client")
})

test_that("datagrams stand over queue pairs, by threads and lists, without connections", {
  datagrams <- function(service, threads = 1, ...) {
    lapply(c(1, 2, 4), function(queue_pairs) {
      list(
        operation = "send", loop = "saturating", service = service, access_bytes = 60,
        queue_pairs = queue_pairs, threads = threads, messages_sent = 1000,
        messages_received = 900, ...
      )
    })
  }
  runs <- do.call(runs_with, c(
    datagrams("ud", post_list = 1), datagrams("ud", post_list = 16),
    datagrams("ud", threads = 2, post_list = 1), datagrams("rc", post_list = 1)
  ))
  figure <- draw_sends_by_queue_pairs(runs)
  ours <- runs[runs$service == "ud"]
  expect_equal(sort(means_of(figure)$y), sort(0.9 * ours$throughput_ops / 1e6))
  expect_setequal(as.character(layout_of(figure)$column), c("1 client thread", "2 client threads"))
  expect_error(
    draw_sends_by_queue_pairs(do.call(runs_with, datagrams("rc", post_list = 1))),
    "no datagrams",
    class = "nothing_to_draw"
  )
})

# Operations of a service with two payloads, in lists of one and of 16.
issued <- function(operation, service, inline_bytes) {
  apply(expand.grid(bytes = c(28, 32), list = c(1, 16)), 1, function(point) {
    list(
      operation = operation, service = service, inline_bytes = inline_bytes,
      access_bytes = point[["bytes"]], post_list = point[["list"]]
    )
  })
}

test_that("a host's reads stand beside its inlined writes, gathered writes are left out", {
  inlined <- c(issued("read", "rc", NA), issued("write", "rc", 188), issued("write", "uc", 188))
  runs <- do.call(runs_with, c(inlined, issued("write", "rc", NA)))
  own <- runs[runs$locality == "rdma-local"]
  figure <- draw_outbound_by_payload(own)
  layout <- layout_of(figure)
  expect_setequal(paste(layout$variant, layout$column), c(
    "post list 1 service rc", "post list 16 service rc", "post list 1 service uc",
    "post list 16 service uc"
  ))
  means <- means_of(figure)
  expect_equal(nrow(means), length(inlined))
  expect_setequal(means$colour, operation_look$colours)
  reads <- means[means$colour == operation_look$colours[["read"]], ]
  expect_true(all(layout$column[reads$PANEL] == "service rc"))
  expect_match(caption_of(figure), "whether it arrived or not")
  # Colours do not tell both nodes apart, so panels do.
  both <- layout_of(draw_outbound_by_payload(runs))
  expect_setequal(as.character(both$column), c(
    outer(c("service rc", "service uc"), paste(locality_labels[1:2], "memory"), paste, sep = ", ")
  ))
})

test_that("without inlined writes there is no figure of what a host issues", {
  for (runs in list(issued("write", "rc", NA), issued("read", "rc", NA))) {
    expect_error(
      draw_outbound_by_payload(do.call(runs_with, runs)), "no writes whose payload is inlined",
      class = "nothing_to_draw"
    )
  }
})
