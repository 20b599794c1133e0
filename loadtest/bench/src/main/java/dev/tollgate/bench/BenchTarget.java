package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Prompt;
import dev.tollgate.bench.BenchPlan.TargetSpec;
import dev.tollgate.bench.RequestTemplate.Reply;
import io.netty.buffer.ByteBuf;
import java.util.Locale;

/**
 * Server under measurement, the gateway or the provider itself, with its connections and encoded
 * requests.
 */
final class BenchTarget {
  private final Role role;
  private final Connections connections;
  private final ByteBuf plain;
  private final ByteBuf streamed;

  /** Side of the comparison: through the gateway, or directly to the provider. */
  enum Role {
    TARGET,
    DIRECT;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  BenchTarget(Role role, TargetSpec spec, Prompt prompt, Driver driver, int connectionsMax) {
    this.role = role;
    this.plain = ChatRequestBytes.plain(spec, prompt);
    this.streamed = ChatRequestBytes.streamed(spec, prompt);
    this.connections = driver.connect(spec.url().address(), connectionsMax, plain(new Tally()));
  }

  Role role() {
    return role;
  }

  Connections connections() {
    return connections;
  }

  RequestTemplate plain(Tally tally) {
    return new RequestTemplate(plain, new Reply.Plain(), tally);
  }

  RequestTemplate streamed(Script script, Tally tally) {
    return new RequestTemplate(streamed, new Reply.Streamed(script), tally);
  }
}
