package dev.tollgate.bench;

/** Text that describes the measurement method in every report. */
final class Methodology {
  static final String TEXT =
      "Open loop: starts are evenly spaced and fixed beforehand, and a latency counts from when its"
          + " request should have started. Sides in alternating rounds on kept connections, one"
          + " client thread. Added is a percentile of the target minus the same percentile of"
          + " direct: a difference of percentiles, not a percentile of differences. An event's"
          + " delay is how much later it came than the same event ever did during the warm-up on"
          + " the direct side (the target where there is none).";

  private Methodology() {}
}
