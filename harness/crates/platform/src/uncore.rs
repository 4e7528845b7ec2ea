//! Counters outside the cores (memory controllers, PCIe, socket links), by perf_event_open(2).
