package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.HttpService;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.server.account.AddressKeys;
import dev.tollgate.server.control.CallHandling.Call;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import dev.tollgate.server.control.route.RouteTable;
import dev.tollgate.server.control.route.RouteTable.Match;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Service behind the control plane's listener. By the head alone it refuses what needs no look-up,
 * in a fixed order: a foreign Host 400, an unknown path 404, another media type 415, overload 503,
 * a change from another site 403, too many calls 429. The rest is done on other threads.
 */
final class ControlService implements HttpService {
  static final int BODY_BYTES_MAX = 256 * 1024;
  private static final String NO_ROUTE = "other";

  private final RouteTable routes;
  private final AllowedHosts hosts;
  private final CsrfCheck csrf;
  private final String cookieName;
  private final CallRates rates;
  private final CallThreads threads;
  private final BooleanSupplier isShedding;
  private final CallHandling handling;
  private final ReplyEncoder encoder;

  /**
   * @param cookieName name of the session cookie
   * @param isShedding whether the node has too much to do for queries
   */
  ControlService(
      List<RouteSpec> routes,
      AllowedHosts hosts,
      String cookieName,
      CallRates rates,
      CallThreads threads,
      BooleanSupplier isShedding,
      CallHandling handling) {
    this.routes = new RouteTable(routes);
    this.hosts = hosts;
    this.csrf = new CsrfCheck(hosts);
    this.cookieName = cookieName;
    this.rates = rates;
    this.threads = threads;
    this.isShedding = isShedding;
    this.handling = handling;
    this.encoder = new ReplyEncoder();
  }

  @Override
  public Verdict judge(Request request) {
    RequestHead head = request.head();
    if (!hosts.allows(head.headers().first("host"))) {
      return new Verdict.Refused(
          NO_ROUTE, Fault.invalid("Host", "is not a name of this control plane"));
    }
    Optional<Match> match = routes.match(head.method(), head.path());
    if (match.isEmpty()) {
      return new Verdict.Refused(
          NO_ROUTE, Fault.of(ErrorCode.NOT_FOUND, "There is nothing at this method and path."));
    }
    Call call =
        new Call(
            match.get().route(),
            match.get().args(),
            request,
            Credentials.of(head.headers(), cookieName),
            AddressKeys.of(request.client()));
    String route = call.route().label();
    if (call.route().audience() == Audience.FILES) {
      // Files are in memory.
      return new Verdict.Accepted(route, 0, (_, downstream) -> answerNow(call, downstream));
    }
    Fault fault = refusal(call);
    return fault == null
        ? new Verdict.Accepted(
            route, BODY_BYTES_MAX, (body, downstream) -> begin(call, body, downstream))
        : new Verdict.Refused(route, fault);
  }

  private @Nullable Fault refusal(Call call) {
    RequestHead head = call.request().head();
    String problem = problemOfContent(head);
    if (problem != null) {
      return Fault.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, problem);
    }
    if (threads.isFull()) {
      return RunningCall.BUSY;
    }
    if (call.route().isShed() && isShedding.getAsBoolean()) {
      return Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The node has too much to do for queries.")
          .withRetryAfter(Fault.randomRetryAfterSeconds());
    }
    if (call.route().csrf() && !(call.credentials() instanceof Credentials.Bearer)) {
      String foreign = csrf.problem(head.headers());
      if (foreign != null) {
        return Fault.of(ErrorCode.CSRF_FAILED, foreign);
      }
    }
    int waitSeconds =
        call.credentials() instanceof Credentials.None
            ? rates.ofAddress(call.address())
            : rates.waitOfAddress(call.address());
    return waitSeconds == 0 ? null : CallHandling.tooMany(waitSeconds);
  }

  private static @Nullable String problemOfContent(RequestHead head) {
    if (head.body() instanceof BodyLength.None
        || (head.body() instanceof BodyLength.Fixed fixed && fixed.bytes() == 0)) {
      return null;
    }
    String type = head.headers().first("content-type");
    String plain = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!plain.equals("application/json")) {
      return "Content-Type must be application/json.";
    }
    return head.headers().has("content-encoding")
        ? "Content-Encoding is not supported: send the body as it is."
        : null;
  }

  private Running begin(Call call, byte @Nullable [] body, Downstream downstream) {
    var running = new RunningCall(call, body, downstream, handling, encoder);
    threads.start(running);
    return running;
  }

  private Running answerNow(Call call, Downstream downstream) {
    var running = new RunningCall(call, null, downstream, handling, encoder);
    running.answerOnLoop();
    return running;
  }

  @Override
  public Reply.Refused refusal(Fault fault) {
    return encoder.refusal(fault);
  }
}
