package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.ReplyMode;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.http.BodySha256;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.UnsignedRequest;
import dev.tollgate.core.routing.Candidate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of an attempt's request to a provider. The head contains no client field, and the body is
 * split into pieces so small that none needs a large direct copy. A signature is made for the time
 * of sending.
 *
 * @param secret null if none is sent
 * @param written called when a request that may not be repeated was written
 */
record UpstreamRequestEncoder(
    EventLoop loop,
    ByteBufAllocator allocator,
    Route route,
    @Nullable Secret secret,
    InferenceCall call,
    InstantSource clock,
    InflightBytes inflight,
    Runnable written) {
  private static final int PIECE_BYTES_MAX = 64 * 1024;
  private static final int COPIED_BYTES_MAX = 8 * 1024;
  private static final String NO_ROOM =
      "no room for the request or its reply in max_inflight_bytes";

  static UpstreamRequestEncoder of(
      Candidate candidate,
      @Nullable Secret secret,
      InferenceCall call,
      Downstream downstream,
      ExchangeContext context,
      Runnable written) {
    return new UpstreamRequestEncoder(
        downstream.loop(),
        downstream.allocator(),
        candidate.route(),
        secret,
        call,
        context.providers().clock(),
        context.inflight(),
        written);
  }

  /** Returns a failure without the credentials of this request, which some providers repeat. */
  UpstreamFailure redacted(UpstreamFailure failure) {
    List<String> sent = new ArrayList<>(route.provider().headers().values());
    if (secret != null) {
      sent.add(secret.reveal());
    }
    return failure.redacted(sent);
  }

  /**
   * Returns a failure that affects the key only if the provider says so in words of its own: no
   * request may take a key from all others (docs/decisions/retries.md#words-of-providers).
   */
  UpstreamFailure attributed(UpstreamFailure failure) {
    if (!failure.isOfKeyByWords()) {
      return failure;
    }
    List<ByteBuf> body = call.request().mayBeRepeated() ? call.request().bodyFor(route) : List.of();
    try {
      boolean doubtful =
          EchoedWords.canSearch(body)
              ? EchoedWords.areIn(body, failure.message())
              : failure.providerCode() == null;
      return doubtful ? failure.asRejection() : failure;
    } finally {
      body.forEach(ByteBuf::release);
    }
  }

  /**
   * Encodes the request: at once, unless its body is large, which another thread writes.
   *
   * @param reply room for the reply, which is reserved first
   * @param then gets the request on the loop, also if the attempt has ended
   * @param overloaded gets the reason why the body cannot be made now
   */
  void encode(
      ReplyBudget reply,
      BodyWork work,
      Consumer<EncodedRequest> then,
      Consumer<String> overloaded) {
    if (!reply.tryReserve()) {
      overloaded.accept(NO_ROOM);
      return;
    }
    if (work.isLarge()) {
      offload(work, () -> body(call.translatedBytes(route)), then, overloaded);
      return;
    }
    int bytes = call.translatedBytes(route);
    if (BodyWork.isLarge(bytes)) { // by the images that were fetched
      offload(work, () -> body(bytes), then, overloaded);
    } else {
      deliver(body(bytes), then, overloaded);
    }
  }

  private void offload(
      BodyWork work,
      Supplier<Optional<UpstreamBody>> body,
      Consumer<EncodedRequest> then,
      Consumer<String> overloaded) {
    work.offload(
        body,
        made -> deliver(made, then, overloaded),
        () -> overloaded.accept("too many large request bodies are being written"));
  }

  private void deliver(
      Optional<UpstreamBody> made, Consumer<EncodedRequest> then, Consumer<String> overloaded) {
    if (made.isPresent()) {
      then.accept(encode(made.get()));
    } else {
      overloaded.accept(NO_ROOM);
    }
  }

  /**
   * Returns the body; empty if the budget has no room for a translated one. It has no other effect,
   * and runs on any thread.
   *
   * @param bytes size of a translated body; 0 if it is the request's own array with edits
   */
  private Optional<UpstreamBody> body(int bytes) {
    return bytes == 0
        ? Optional.of(call.upstreamBody(route))
        : inflight.tryAcquire(bytes).map(this::counted);
  }

  /**
   * Returns a body that is counted until it is written; growth beyond the estimate may go
   * uncounted.
   */
  private UpstreamBody counted(InflightBytes.Permit permit) {
    UpstreamBody built;
    try {
      built = call.upstreamBody(route);
    } catch (RuntimeException | Error e) {
      permit.end();
      throw e;
    }
    ByteBuf body = built.body().getFirst();
    permit.resize(body.capacity());
    return new UpstreamBody(
        List.of(CountedBody.of(body, permit)), built.contentType(), built.dropped());
  }

  private EncodedRequest encode(UpstreamBody outgoing) {
    Dialect dialect = Dialects.named(route.provider().dialect());
    var hash = new BodySha256(outgoing.body());
    boolean isSigned = secret != null && dialect.signs(secret);
    return new EncodedRequest(
        loop,
        isSigned ? Optional.of(hash) : Optional.empty(),
        () -> bytes(outgoing, hash),
        outgoing.dropped(),
        () -> outgoing.body().forEach(ByteBuf::release));
  }

  private List<ByteBuf> bytes(UpstreamBody outgoing, BodySha256 hash) {
    long length = 0;
    for (ByteBuf part : outgoing.body()) {
      length += part.readableBytes();
    }
    ByteBuf head = head(outgoing, hash, length);
    List<ByteBuf> parts = new ArrayList<>();
    parts.add(head);
    for (ByteBuf part : outgoing.body()) {
      // Small parts are copied behind the head: one write instead of many.
      if (parts.size() == 1 && head.readableBytes() + part.readableBytes() <= COPIED_BYTES_MAX) {
        head.writeBytes(part);
        part.release();
      } else {
        split(part, parts);
      }
    }
    if (!call.request().mayBeRepeated()) {
      parts.add(TrackedBuffer.of(parts.removeLast(), written));
    }
    return parts;
  }

  /** Writes the head; if no buffer can be allocated, the body is released. */
  private ByteBuf head(UpstreamBody outgoing, BodySha256 hash, long length) {
    try {
      ByteBuf out = allocator.buffer(512 + (int) Math.min(length, COPIED_BYTES_MAX));
      head(out, outgoing, hash, length);
      return out;
    } catch (RuntimeException | Error e) {
      outgoing.body().forEach(ByteBuf::release);
      throw e;
    }
  }

  private static void split(ByteBuf part, List<ByteBuf> into) {
    while (part.readableBytes() > PIECE_BYTES_MAX) {
      into.add(part.readRetainedSlice(PIECE_BYTES_MAX));
    }
    into.add(part);
  }

  private void head(ByteBuf out, UpstreamBody outgoing, BodySha256 hash, long length) {
    Provider provider = route.provider();
    Dialect dialect = Dialects.named(provider.dialect());
    InferenceRequest request = call.request();
    String target = dialect.target(request.operation(), route, request.isStream());
    String host = provider.endpoint().authority();
    HeadWriter.requestLine(out, "POST", target);
    HeadWriter.field(out, "host", host);
    for (Field field : dialect.fields()) {
      if (!isConfigured(provider, field.name())) {
        HeadWriter.field(out, field);
      }
    }
    if (secret != null) {
      var ready =
          new UnsignedRequest("POST", target, host, outgoing.contentType(), hash, clock.instant());
      for (Field field : dialect.authorization(secret, ready)) {
        HeadWriter.field(out, field);
      }
    }
    HeadWriter.field(out, "content-type", outgoing.contentType());
    HeadWriter.field(out, "accept", accept(dialect));
    HeadWriter.field(out, "accept-encoding", "identity");
    if (!isConfigured(provider, "user-agent")) {
      HeadWriter.field(out, "user-agent", "tollgate");
    }
    provider.headers().forEach((name, value) -> HeadWriter.field(out, name, value));
    HeadWriter.contentLength(out, length);
    HeadWriter.end(out);
  }

  private String accept(Dialect dialect) {
    InferenceRequest request = call.request();
    return request.mode() == ReplyMode.EVENTS ? dialect.framing().mediaType() : request.accept();
  }

  /** True if the configuration sets a field that the gateway would set otherwise. */
  private static boolean isConfigured(Provider provider, String field) {
    for (String name : provider.headers().keySet()) {
      if (name.equalsIgnoreCase(field)) {
        return true;
      }
    }
    return false;
  }
}
