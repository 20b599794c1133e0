package dev.tollgate.core.egress;

import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.net.UrlRules;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Checks client-supplied URLs that will be called later, such as webhook URLs. A check resolves the
 * host and refuses it if one of its addresses may not be called. The call itself resolves and
 * checks again.
 */
public final class UrlGuard {
  private final PublicAddressResolver resolver;
  private final Supplier<UrlRules> rules;

  public UrlGuard(PublicAddressResolver resolver, Supplier<UrlRules> rules) {
    this.resolver = resolver;
    this.rules = rules;
  }

  /** Result of checking a URL: accepted, refused with a fault, or not known. */
  public sealed interface CheckResult {
    record Fine() implements CheckResult {}

    /** Refused URL; the fault is for the client that supplied it. */
    record Refused(Fault fault) implements CheckResult {}

    /** The host has no address, as far as this node can see. */
    record Unresolved() implements CheckResult {}

    /** Too many names are being resolved. */
    record Busy() implements CheckResult {}
  }

  /**
   * Checks a URL on the caller's loop; the result may arrive before this method returns.
   *
   * @param param the request parameter that faults name
   */
  public void check(String text, String param, EventLoop loop, Consumer<CheckResult> whenKnown) {
    UrlRules current = rules.get();
    switch (current.check(text)) {
      case PublicUrl.UrlParseResult.Malformed malformed ->
          whenKnown.accept(new CheckResult.Refused(malformed.fault(param)));
      case PublicUrl.UrlParseResult.Refused refused ->
          whenKnown.accept(new CheckResult.Refused(refused.fault(param)));
      case PublicUrl.UrlParseResult.Valid fine ->
          resolver
              .resolve(fine.url(), current, loop)
              .addListener(
                  (Future<Resolved> done) -> whenKnown.accept(result(done.getNow(), param)));
    }
  }

  private static CheckResult result(Resolved resolved, String param) {
    return switch (resolved) {
      case Resolved.Checked _ -> new CheckResult.Fine();
      case Resolved.Refused _ ->
          new CheckResult.Refused(
              new PublicUrl.UrlParseResult.Refused("points to a host that is not public")
                  .fault(param));
      case Resolved.Unknown _ -> new CheckResult.Unresolved();
      case Resolved.Busy _ -> new CheckResult.Busy();
    };
  }
}
