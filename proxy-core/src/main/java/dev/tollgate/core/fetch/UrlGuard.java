package dev.tollgate.core.fetch;

import dev.tollgate.core.address.PublicUrl;
import dev.tollgate.core.address.UrlRules;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.fetch.PublicAddressResolver.Resolved;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Judges URLs that will be called later: their host is looked up, and none of its addresses may be
 * one that nobody may have us call. It is looked up again when it is called.
 */
public final class UrlGuard {
  private final PublicAddressResolver resolver;
  private final Supplier<UrlRules> rules;

  public UrlGuard(PublicAddressResolver resolver, Supplier<UrlRules> rules) {
    this.resolver = resolver;
    this.rules = rules;
  }

  /** What came of it. */
  public sealed interface Judged {
    record Fine() implements Judged {}

    /** Told to the client that supplied the URL. */
    record Refused(Fault fault) implements Judged {}

    /** Too many names are being looked up. */
    record Busy() implements Judged {}
  }

  /**
   * Judges one on the caller's loop; the answer may come before this returns.
   *
   * @param param what faults name
   */
  public void judge(String text, String param, EventLoop loop, Consumer<Judged> whenKnown) {
    UrlRules now = rules.get();
    switch (now.read(text)) {
      case PublicUrl.Read.Malformed malformed ->
          whenKnown.accept(new Judged.Refused(malformed.fault(param)));
      case PublicUrl.Read.Refused refused ->
          whenKnown.accept(new Judged.Refused(refused.fault(param)));
      case PublicUrl.Read.Fine fine ->
          resolver
              .resolve(fine.url(), now, loop)
              .addListener(
                  (Future<Resolved> done) -> whenKnown.accept(judged(done.getNow(), param)));
    }
  }

  private static Judged judged(Resolved resolved, String param) {
    return switch (resolved) {
      case Resolved.Checked _ -> new Judged.Fine();
      case Resolved.Refused _ ->
          new Judged.Refused(
              new PublicUrl.Read.Refused("points to a host that is not public").fault(param));
      case Resolved.Unknown _ ->
          new Judged.Refused(Fault.invalid(param, "cannot be called: its host has no address"));
      case Resolved.Busy _ -> new Judged.Busy();
    };
  }
}
