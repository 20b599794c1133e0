package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code auth}: authenticates the caller by its API key. It checks the key's text, the key,
 * its refusal budget, its state, the caller's address and the organization, in this order, so that
 * nothing about an organization leaks before the key is verified.
 */
final class AuthHandler extends ChannelInboundHandlerAdapter
    implements Consumer<CacheResult.FinalResult> {
  private static final String SCHEME = "Bearer ";
  private static final String NOT_VALID = "The API key is not valid.";

  private final ClientConnection connection;
  private final Authenticator authenticator;
  private final KnownRefusals refusals;
  private final InstantSource clock;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Routed waiting;
  private @Nullable AllowList allowList;

  /** Parsed allow list of the key that was used last. */
  private record AllowList(Set<String> texts, CidrSet addresses) {}

  AuthHandler(
      ClientConnection connection,
      Authenticator authenticator,
      KnownRefusals refusals,
      InstantSource clock) {
    this.connection = connection;
    this.authenticator = authenticator;
    this.refusals = refusals;
    this.clock = clock;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext handlerContext) {
    ctx = handlerContext;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof Routed routed)) {
      ctx.fireChannelRead(message);
      return;
    }
    String secret = bearerToken(routed.received().head().headers());
    if (secret == null) {
      reject(ctx, ErrorCode.INVALID_API_KEY, "Send an API key as \"Authorization: Bearer …\".");
      return;
    }
    if (secret.indexOf(',') >= 0) {
      connection.distrust(); // two credentials in one: another proxy may take the other one
    }
    switch (ApiKeyText.parse(secret)) {
      case ApiKeyText.MalformedKey _ -> reject(ctx, ErrorCode.INVALID_API_KEY, NOT_VALID);
      case ApiKeyText.ValidKey valid -> {
        waiting = routed;
        authenticator.find(valid, address(routed.received().client()), ctx.executor(), this);
      }
    }
  }

  private static @Nullable String bearerToken(Headers headers) {
    String value = headers.first("authorization");
    return value != null && value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? value.substring(SCHEME.length()).strip()
        : null;
  }

  private static @Nullable InetAddress address(ClientAddress client) {
    return switch (client) {
      case ClientAddress.Known known -> known.address();
      case ClientAddress.Unreadable _ -> null;
    };
  }

  /** Continues with the result of the key's lookup, unless the client disconnected meanwhile. */
  @Override
  public void accept(CacheResult.FinalResult result) {
    ChannelHandlerContext open = ctx;
    Routed routed = waiting;
    waiting = null;
    if (open == null || routed == null) {
      return;
    }
    assert open.executor().inEventLoop();
    switch (result) {
      case CacheResult.Known known -> authorize(open, routed, known.key());
      case CacheResult.Unknown _ -> reject(open, ErrorCode.INVALID_API_KEY, NOT_VALID);
      case CacheResult.OverBudget _ -> RefusalWriter.refuse(open, refusals.overBudget());
      case CacheResult.Unavailable _ -> {
        Fault fault = Fault.tryLater("The API key could not be checked.");
        RefusalWriter.decline(open, connection, RequestOutcome.DEPENDENCY_DOWN, fault);
      }
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.CUT_SHORT) {
      waiting = null;
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    waiting = null;
    ctx.fireChannelInactive();
  }

  private void authorize(ChannelHandlerContext ctx, Routed routed, ApiKey key) {
    Authenticated authenticated = new Authenticated(routed, key);
    connection.advance(authenticated);
    Fault unusable = unusable(routed, key);
    long now = ctx.executor().ticker().nanoTime();
    Fault overBudget = refusals.draw(connection.refusalToken(), key, unusable == null, now);
    if (overBudget != null) {
      RefusalWriter.refuse(ctx, overBudget);
    } else if (unusable != null) {
      RefusalWriter.refuse(ctx, unusable);
    } else {
      connection.prove();
      ctx.fireChannelRead(authenticated);
    }
  }

  /** Returns why the caller may not use the key now; null if it may. */
  private @Nullable Fault unusable(Routed routed, ApiKey key) {
    Instant expiry = key.expiresAt();
    if (key.state() == KeyState.DISABLED) {
      return Fault.of(ErrorCode.KEY_DISABLED, "The API key is disabled.");
    }
    if (expiry != null && clock.millis() >= expiry.toEpochMilli()) {
      return Fault.of(ErrorCode.KEY_EXPIRED, "The API key has expired.");
    }
    if (key.state() == KeyState.REVOKED) {
      return Fault.of(ErrorCode.KEY_REVOKED, "The API key was revoked.");
    }
    if (!isAllowed(routed.received().client(), key)) {
      return Fault.of(ErrorCode.IP_NOT_ALLOWED, "The API key may not be used from this address.");
    }
    return key.org().state() == Org.State.ACTIVE
        ? null
        : Fault.of(ErrorCode.IP_NOT_ALLOWED, "The organization is not active.");
  }

  private boolean isAllowed(ClientAddress client, ApiKey key) {
    if (key.scope().allowedIps().isEmpty()) {
      return true;
    }
    return switch (client) {
      case ClientAddress.Known known ->
          allowList(key.scope().allowedIps()).contains(known.address());
      case ClientAddress.Unreadable _ -> false;
    };
  }

  private CidrSet allowList(Set<String> texts) {
    AllowList parsed = allowList;
    if (parsed == null || !parsed.texts.equals(texts)) {
      parsed = new AllowList(texts, parse(texts));
      allowList = parsed;
    }
    return parsed.addresses;
  }

  /** Parses a stored list; one that cannot be parsed allows no address. */
  private static CidrSet parse(Set<String> texts) {
    try {
      return CidrSet.parse(texts);
    } catch (IllegalArgumentException _) {
      return CidrSet.NONE;
    }
  }

  private static void reject(ChannelHandlerContext ctx, ErrorCode code, String message) {
    RefusalWriter.reject(ctx, code, message);
  }
}
