package dev.tollgate.core.fetch;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * DNS as a test wrote it down: for each name the answers it gives one after the other, the last one
 * for ever. {@code NXDOMAIN} fails, {@code SILENT} never comes.
 */
final class ScriptedNames implements Names {
  private final Map<String, Deque<String>> answers = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Promise<?>> pending = new ArrayList<>();

  /** Successive answers, each a list of addresses with commas. */
  ScriptedNames answer(String name, String... successive) {
    answers.put(name, new ArrayDeque<>(List.of(successive)));
    return this;
  }

  @Override
  public Future<List<InetAddress>> addresses(EventLoop loop, String name) {
    asked.add(name);
    Deque<String> successive = answers.getOrDefault(name, new ArrayDeque<>(List.of("NXDOMAIN")));
    String answer = successive.size() > 1 ? successive.poll() : successive.element();
    return switch (answer) {
      case "NXDOMAIN", "SERVFAIL" -> loop.newFailedFuture(new UnknownHostException(name));
      case "SILENT" -> {
        Promise<List<InetAddress>> never = loop.newPromise();
        pending.add(never);
        yield never;
      }
      default -> loop.newSucceededFuture(addresses(answer));
    };
  }

  private static List<InetAddress> addresses(String list) {
    return Arrays.stream(list.split(","))
        .filter(text -> !text.isEmpty())
        .map(InetAddress::ofLiteral)
        .toList();
  }

  /** The names that were asked for, in order. */
  List<String> asked() {
    return List.copyOf(asked);
  }

  /** Questions that are neither answered nor given up. */
  long pending() {
    return pending.stream().filter(one -> !one.isDone()).count();
  }
}
