# Figures of messages by the service that carries them.

test_that("messages without payload stand left of one byte, and gathered payloads are left out", {
  sends <- function(service, ...) {
    lapply(c(0, 1, 60), function(bytes) {
      list(
        operation = "send", loop = "saturating", post_list = 1, service = service,
        access_bytes = bytes, ...
      )
    })
  }
  inlined <- c(sends("rc", inline_bytes = 188), sends("ud", inline_bytes = 188))
  figure <- draw_sends_by_payload(do.call(runs_with, c(inlined, sends("ud"))))
  means <- means_of(figure)
  expect_equal(sort(unique(round(means$x, 1))), c(-1, 0, round(log2(60), 1)))
  expect_equal(nrow(means), 2 * length(inlined))
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  labels <- axis$get_labels()[!is.na(axis$get_breaks())]
  expect_equal(labels[1:2], c("0", "1"))
  expect_error(
    draw_sends_by_payload(do.call(runs_with, sends("ud"))), "no messages whose payload is inlined",
    class = "nothing_to_draw"
  )
})
