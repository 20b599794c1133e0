package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.CidrBlock;
import java.time.Duration;
import java.util.List;

/** Configuration section {@code security}: limits on calling URLs that clients supply. */
public record SecuritySettings(
    @Key(about = "URLs that clients supply") Ssrf ssrf,
    @Key(about = "images that are fetched from such URLs") Fetch fetch) {

  /**
   * Section {@code security.ssrf}: ports, hosts and addresses that may be called
   * (docs/decisions/egress.md#precedence).
   */
  public record Ssrf(
      @Key(about = "ports that may be called", initial = "[443, 8443]", min = "1")
          List<Integer> ports,
      @Key(about = "host names that are allowed at any address: for tests") List<String> allowHosts,
      @Key(about = "blocks that are allowed although private: for private deployments")
          List<CidrBlock> allowCidrs,
      @Key(about = "blocks that are refused although public") List<CidrBlock> denyCidrs) {}

  /** Section {@code security.fetch}: limits on fetching an image from a client's URL. */
  public record Fetch(
      @Key(
              name = "max_bytes",
              about = "size limit of an image",
              initial = "10MiB",
              min = "1KiB",
              max = "64MiB",
              bytes = true)
          int bytesMax,
      @Key(
              about = "time limit from DNS to the last byte, redirects included",
              initial = "15s",
              min = "100ms",
              max = "5m")
          Duration timeout,
      @Key(
              name = "max_redirects",
              about = "limit of redirects; each target is checked",
              initial = "3",
              min = "0",
              max = "10")
          int redirectsMax) {}
}
