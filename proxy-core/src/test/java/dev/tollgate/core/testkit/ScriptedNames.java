package dev.tollgate.core.testkit;

import dev.tollgate.core.egress.DnsResolver;
import dev.tollgate.core.egress.FetchRules;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.egress.ProviderAddresses;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.egress.UrlGuard;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.upstream.AddressConnector;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Scripted DNS: for each name the successive answers, the last of which repeats. {@code NXDOMAIN}
 * fails, {@code SILENT} never answers.
 */
public final class ScriptedNames implements DnsResolver {
  private static final int IMAGE_BYTES_MAX = 256 * 1024;

  private final Map<String, Deque<String>> answers = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Promise<?>> pending = new ArrayList<>();

  /** Adds successive answers, each a list of addresses with commas. */
  public ScriptedNames answer(String name, String... successive) {
    answers.put(name, new ArrayDeque<>(List.of(successive)));
    return this;
  }

  /** Returns a client for public hosts and images of at most 256 KiB. */
  ImageFetchClient fetcher(AddressConnector connector) {
    var rules = new FetchRules(rules(), IMAGE_BYTES_MAX, Duration.ofSeconds(15), 3);
    return new ImageFetchClient(
        new PublicConnector(new PublicAddressResolver(this), connector),
        () -> rules,
        (outcome, bytes, took) -> {});
  }

  /** Returns a guard for public hosts. */
  public UrlGuard guard() {
    return new UrlGuard(new PublicAddressResolver(this), ScriptedNames::rules);
  }

  /** Tells which providers have a private address. */
  public ProviderAddresses providers() {
    return new ProviderAddresses(new PublicAddressResolver(this));
  }

  private static UrlRules rules() {
    return new UrlRules(
        Set.of(443, 8443), Set.of(), CidrSet.NONE, CidrSet.NONE, Set.of(), CidrSet.NONE);
  }

  @Override
  public Future<List<InetAddress>> resolveAll(EventLoop loop, String name) {
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

  /** Returns the queried names, in order. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  /** Returns the number of queries that are neither answered nor cancelled. */
  public long pending() {
    return pending.stream().filter(one -> !one.isDone()).count();
  }
}
