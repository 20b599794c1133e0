package dev.tollgate.server.control.route;

import dev.tollgate.server.explorer.RequestHistogram;
import dev.tollgate.server.explorer.RequestHistogram.Slot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Requests over time.
 *
 * @param interval length of a slot, such as 5m
 * @param scannedTo all requests since this time are counted
 */
record HistogramView(String interval, List<Slot> slots, Instant scannedTo, Instant asOf) {
  static HistogramView of(RequestHistogram histogram) {
    return new HistogramView(
        text(histogram.interval()), histogram.slots(), histogram.scannedTo(), histogram.asOf());
  }

  private static String text(Duration length) {
    if (length.toDaysPart() > 0) {
      return length.toDays() + "d";
    }
    if (length.toHours() > 0) {
      return length.toHours() + "h";
    }
    return length.toMinutes() > 0 ? length.toMinutes() + "m" : length.toSeconds() + "s";
  }
}
