package dev.tollgate.server.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.exchange.frame.HttpService;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.Binding;
import dev.tollgate.server.control.route.ControlReply;
import dev.tollgate.server.control.route.ControlRequest;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.IdempotentCreate;
import dev.tollgate.server.control.route.PathArgs;
import dev.tollgate.server.control.route.RequestMeta;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import dev.tollgate.server.control.route.SessionCookie;
import dev.tollgate.server.outage.StoreOutage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carrying out of a call, on a thread that may block. What is not the handler's comes first, in a
 * fixed order of refusals: rate 429, credentials 401 and 403, the body 413 and 400, the
 * organization 404, permission, proof and suspension 403, the members of query and body 400.
 */
final class CallHandling {
  private static final Logger LOG = LoggerFactory.getLogger(CallHandling.class);
  private static final Field REPLAYED = new Field("Idempotent-Replayed", "true");
  private static final Duration PROOF_AGE_MAX = Duration.ofMinutes(10);
  private static final int IDEMPOTENCY_KEY_CHARS_MAX = 255;

  private final Handlers handlers;
  private final PrincipalResolver principals;
  private final DataSource pool;
  private final SessionCookie cookie;
  private final CallRates rates;
  private final InstantSource clock;
  private final StoreOutage outage = new StoreOutage(LOG, "calls of the control plane");

  CallHandling(ControlListener.Ports ports, SessionCookie cookie, CallRates rates) {
    this.handlers = ports.handlers();
    this.principals = ports.principals();
    this.pool = ports.pool();
    this.clock = ports.clock();
    this.cookie = cookie;
    this.rates = rates;
  }

  /**
   * A call whose head was accepted.
   *
   * @param address name of the client's address in tables of limits
   */
  record Call(
      RouteSpec route,
      PathArgs args,
      HttpService.Request request,
      Credentials credentials,
      String address) {
    Headers headers() {
      return request.head().headers();
    }
  }

  static Fault tooMany(int waitSeconds) {
    return Fault.of(ErrorCode.RATE_LIMITED, "Too many calls.").withRetryAfter(waitSeconds);
  }

  /**
   * Answers a call.
   *
   * @param body null if it is too large
   */
  ControlReply answer(Call call, byte @Nullable [] body) {
    List<Field> cookies = new ArrayList<>(1);
    ControlReply reply;
    try {
      reply = carryOut(call, body, cookies);
    } catch (IdempotentCreate.Replayed replayed) {
      reply = new ControlReply.Json(replayed.status(), replayed.reply(), null, List.of(REPLAYED));
    } catch (SQLException | RuntimeException | StackOverflowError e) {
      reply = new ControlReply.Failure(fault(call, e), List.of());
    }
    // A session that the handler made counts more than the one that the call came with.
    boolean hasCookie =
        reply.fields().stream().anyMatch(field -> field.name().equals(SessionCookie.FIELD));
    return hasCookie || cookies.isEmpty() ? reply : reply.with(cookies.getFirst());
  }

  private Fault fault(Call call, Throwable cause) {
    return switch (cause) {
      case Refused refused -> refused.fault();
      case SQLException e -> {
        if (!outage.isCauseOf(e)) {
          LOG.warn(
              "call {} of {} failed in the store: {}",
              call.request().id(),
              call.route().name(),
              firstLine(e));
        }
        yield Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The store is not available.")
            .withRetryAfter(1);
      }
      default -> {
        LOG.error("call {} of {} failed", call.request().id(), call.route().name(), cause);
        yield Fault.of(ErrorCode.INTERNAL_FAILURE, "The call failed unexpectedly.");
      }
    };
  }

  /** Further lines of the store's messages quote rows. */
  private static String firstLine(SQLException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf('\n');
    return e.getSQLState() + " " + (end < 0 ? message : message.substring(0, end));
  }

  private ControlReply carryOut(Call call, byte @Nullable [] body, List<Field> cookies)
      throws SQLException {
    RouteSpec spec = call.route();
    if (spec.audience() == Audience.FILES) {
      return handlers.of(call.route()).handle(fileRequest(call));
    }
    Caller caller = caller(call, spec, cookies);
    if (body == null) {
      throw Refused.of(
          ErrorCode.REQUEST_TOO_LARGE,
          "The body is larger than " + ControlService.BODY_BYTES_MAX + " bytes.");
    }
    JsonNode json = Binding.parse(spec, body);
    OrgAccess access = access(call, spec, caller);
    requireProof(spec, caller);
    if (access != null && spec.needsActive()) {
      access.requireActive();
    }
    var request =
        new ControlRequest(
            call.route(),
            call.args(),
            caller,
            access,
            Binding.query(call.route(), call.request().head().query()),
            Binding.body(spec, json),
            meta(call),
            claim(call, caller, body));
    return handlers.of(call.route()).handle(request);
  }

  private ControlRequest fileRequest(Call call) {
    var anonymous = new Caller(new Principal.Anonymous(), null, null, null);
    return new ControlRequest(
        call.route(), call.args(), anonymous, null, null, null, meta(call), IdempotencyClaim.NONE);
  }

  private Caller caller(Call call, RouteSpec spec, List<Field> cookies) throws SQLException {
    Principal principal = principal(call, spec, cookies);
    if (spec.audience() != Audience.PUBLIC && principal instanceof Principal.Anonymous) {
      throw Refused.unauthenticated();
    }
    return new Caller(
        principal,
        call.request().client(),
        call.headers().first("user-agent"),
        call.request().id().value());
  }

  private Principal principal(Call call, RouteSpec spec, List<Field> cookies) throws SQLException {
    Principal known;
    long begunNanos = System.nanoTime();
    try {
      known = resolve(call, cookies);
      if (!(known instanceof Principal.Anonymous)) {
        outage.succeeded(begunNanos); // the others were not looked up
      }
    } catch (Refused refused) {
      if (spec.audience() == Audience.PUBLIC && call.credentials() instanceof Credentials.Session) {
        known = new Principal.Anonymous();
      } else {
        int waitSeconds = rates.ofAddress(call.address());
        throw waitSeconds == 0 ? refused : new Refused(tooMany(waitSeconds));
      }
    }
    int waitSeconds =
        switch (known) {
          case Principal.Anonymous _ ->
              call.credentials() instanceof Credentials.None ? 0 : rates.ofAddress(call.address());
          case Principal.Person _, Principal.Token _, Principal.Cli _ ->
              rates.ofPrincipal(known.reference());
        };
    if (waitSeconds > 0) {
      throw new Refused(tooMany(waitSeconds));
    }
    return known;
  }

  private Principal resolve(Call call, List<Field> cookies) throws SQLException {
    String ip = call.request().client();
    return switch (call.credentials()) {
      case Credentials.None _ -> new Principal.Anonymous();
      case Credentials.Session session -> {
        PrincipalResolver.Identity identity = principals.bySession(session.value(), ip);
        if (identity.newCookie() != null) {
          cookies.add(cookie.set(identity.newCookie()));
        }
        yield identity.principal();
      }
      case Credentials.Bearer bearer -> principals.byToken(bearer.token(), ip);
    };
  }

  private @Nullable OrgAccess access(Call call, RouteSpec spec, Caller caller) throws SQLException {
    return switch (spec.audience()) {
      case FILES, PUBLIC, SIGNED_IN -> null;
      case PERSON -> {
        var _ = caller.person();
        yield null;
      }
      case OPERATOR -> {
        caller.requireOperator();
        yield null;
      }
      case ORG -> {
        OrgAccess access = OrgAccess.of(pool, caller, call.args().org());
        if (spec.permission() != null) {
          access.require(spec.permission());
        }
        yield access;
      }
    };
  }

  /** Tokens are never proved again: no one can prove them. */
  private void requireProof(RouteSpec spec, Caller caller) {
    if (spec.needsProof()
        && caller.principal() instanceof Principal.Person person
        && person.provenAt().plus(PROOF_AGE_MAX).isBefore(clock.instant())) {
      throw Refused.forbidden(RefusalReason.REAUTHENTICATION_REQUIRED);
    }
  }

  private static RequestMeta meta(Call call) {
    String accepted = call.headers().first("accept-encoding");
    boolean gzip =
        accepted != null && accepted.matches("(?i).*\\bgzip\\b(?!\\s*;\\s*q=0(\\.0*)?\\b).*");
    String session = call.credentials() instanceof Credentials.Session known ? known.value() : null;
    return new RequestMeta(expectedVersion(call.headers()), session, gzip);
  }

  private static @Nullable Integer expectedVersion(Headers headers) {
    String tag = headers.first("if-match");
    if (tag == null || tag.equals("*")) {
      return null;
    }
    if (!tag.matches("\"\\d{1,9}\"")) {
      throw Refused.invalid("If-Match", "must be the entity tag of the object");
    }
    return Integer.valueOf(tag.substring(1, tag.length() - 1));
  }

  private static IdempotencyClaim claim(Call call, Caller caller, byte[] body) {
    String key = call.headers().first("idempotency-key");
    // Strangers must not share keys.
    boolean isStranger = caller.principal() instanceof Principal.Anonymous;
    if (!call.route().creates() || key == null || isStranger) {
      return IdempotencyClaim.NONE;
    }
    if (key.isEmpty() || key.length() > IDEMPOTENCY_KEY_CHARS_MAX) {
      throw Refused.invalid("Idempotency-Key", "must have 1 to 255 characters");
    }
    return new IdempotentCreate(
        caller.reference(), call.route(), key, call.request().head().path(), body);
  }
}
