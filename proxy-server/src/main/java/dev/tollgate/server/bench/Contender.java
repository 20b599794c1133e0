package dev.tollgate.server.bench;

import dev.tollgate.server.bench.BenchPlan.Party;
import dev.tollgate.server.bench.BenchPlan.Prompt;
import dev.tollgate.server.bench.Work.Reply;
import io.netty.buffer.ByteBuf;
import java.util.Locale;

/** One of those that are compared: its connections and its requests. */
final class Contender {
  private final Role role;
  private final Connections connections;
  private final ByteBuf plain;
  private final ByteBuf streamed;

  /** Through the gateway, or past it. */
  enum Role {
    TARGET,
    DIRECT;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  Contender(Role role, Party party, Prompt prompt, Driver driver, int connectionsMax) {
    this.role = role;
    this.plain = ChatRequest.plain(party, prompt);
    this.streamed = ChatRequest.streamed(party, prompt);
    this.connections = driver.connect(party.url().address(), connectionsMax, plain(new Tally()));
  }

  Role role() {
    return role;
  }

  Connections connections() {
    return connections;
  }

  Work plain(Tally tally) {
    return new Work(plain, new Reply.Plain(), tally);
  }

  Work streamed(Script script, Tally tally) {
    return new Work(streamed, new Reply.Streamed(script), tally);
  }
}
