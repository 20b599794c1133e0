package dev.tollgate.server.settings;

import dev.tollgate.server.settings.shape.Key;
import dev.tollgate.server.settings.value.CidrBlock;
import java.util.List;

/** Section {@code security}. */
public record SecuritySettings(@Key(about = "URLs that clients supply") Ssrf ssrf) {

  /** Section {@code security.ssrf}: DECISIONS 14. */
  public record Ssrf(
      @Key(about = "ports that may be called", initial = "[443, 8443]", min = "1")
          List<Integer> ports,
      @Key(about = "host names that are allowed whatever they resolve to: for tests")
          List<String> allowHosts,
      @Key(about = "blocks that are allowed although private: for private deployments")
          List<CidrBlock> allowCidrs,
      @Key(about = "blocks that are refused although public") List<CidrBlock> denyCidrs) {}
}
