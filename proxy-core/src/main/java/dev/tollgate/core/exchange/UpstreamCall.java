package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.endpoint.InferenceRequest;
import dev.tollgate.core.endpoint.Outgoing;
import dev.tollgate.core.endpoint.ReplyMode;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one request to a provider: a head of our own, in which nothing comes from the
 * client, and the body in pieces small enough that none needs a large direct copy.
 */
final class UpstreamCall {
  private static final int PIECE_BYTES_MAX = 64 * 1024;
  private static final int COPIED_BYTES_MAX = 8 * 1024;

  private UpstreamCall() {}

  /**
   * @param secret null: none is sent
   */
  static List<ByteBuf> encode(
      ByteBufAllocator allocator,
      Route route,
      @Nullable Secret secret,
      InferenceRequest request,
      Outgoing outgoing) {
    long length = 0;
    for (ByteBuf part : outgoing.body()) {
      length += part.readableBytes();
    }
    ByteBuf head = allocator.buffer(512 + (int) Math.min(length, COPIED_BYTES_MAX));
    head(head, route, secret, request, outgoing.contentType(), length);
    List<ByteBuf> parts = new ArrayList<>();
    parts.add(head);
    for (ByteBuf part : outgoing.body()) {
      // Small parts ride in the head's buffer: one write instead of many.
      if (parts.size() == 1 && head.readableBytes() + part.readableBytes() <= COPIED_BYTES_MAX) {
        head.writeBytes(part);
        part.release();
      } else {
        split(part, parts);
      }
    }
    return parts;
  }

  private static void split(ByteBuf part, List<ByteBuf> into) {
    while (part.readableBytes() > PIECE_BYTES_MAX) {
      into.add(part.readRetainedSlice(PIECE_BYTES_MAX));
    }
    into.add(part);
  }

  private static void head(
      ByteBuf out,
      Route route,
      @Nullable Secret secret,
      InferenceRequest request,
      String contentType,
      long length) {
    Provider provider = route.provider();
    Dialect dialect = Dialect.named(provider.dialect());
    HeadOut.requestLine(
        out, "POST", dialect.target(request.operation(), route, request.isStream()));
    HeadOut.field(out, "host", authority(provider.endpoint()));
    for (Field field : dialect.fields()) {
      if (!isConfigured(provider, field.name())) {
        HeadOut.field(out, field);
      }
    }
    if (secret != null) {
      for (Field field : dialect.authorization(secret)) {
        HeadOut.field(out, field);
      }
    }
    HeadOut.field(out, "content-type", contentType);
    HeadOut.field(out, "accept", accept(request, dialect));
    HeadOut.field(out, "accept-encoding", "identity");
    if (!isConfigured(provider, "user-agent")) {
      HeadOut.field(out, "user-agent", "tollgate");
    }
    provider.headers().forEach((name, value) -> HeadOut.field(out, name, value));
    HeadOut.contentLength(out, length);
    HeadOut.end(out);
  }

  private static String accept(InferenceRequest request, Dialect dialect) {
    return request.mode() == ReplyMode.EVENTS ? dialect.framing().mediaType() : request.accept();
  }

  /** Whether a field is configured that would otherwise be ours. */
  private static boolean isConfigured(Provider provider, String field) {
    for (String name : provider.headers().keySet()) {
      if (name.equalsIgnoreCase(field)) {
        return true;
      }
    }
    return false;
  }

  private static String authority(EndpointIdentity endpoint) {
    String host = endpoint.host().indexOf(':') >= 0 ? "[" + endpoint.host() + "]" : endpoint.host();
    boolean isDefault = endpoint.port() == (endpoint.tls() ? 443 : 80);
    return isDefault ? host : host + ":" + endpoint.port();
  }
}
