package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.exchange.frame.ErrorEnvelope;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.idempotency.StoredReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * Factory of the replies that are stored for idempotency keys: a request's final reply, or a
 * conflict in its place if it is unknown or too large.
 */
final class StoredReplies {
  private static final String JSON = "application/json";
  private static final String OURS = "X-LLM-";
  private static final int ERROR_STATUS_MIN = 400;

  /**
   * Start of the request id's member; it cannot occur inside a JSON string, where quotes are
   * escaped.
   */
  private static final ByteBuf REQUEST_ID =
      Unpooled.unreleasableBuffer(
          Unpooled.wrappedBuffer("\"request_id\":\"".getBytes(US_ASCII)).asReadOnly());

  private StoredReplies() {}

  /**
   * Returns the form in which a final reply is stored. The body stays owned by the final reply.
   *
   * @param bytesMax a larger body is not stored
   */
  static StoredReply of(FinalReply finalReply, RequestId id, int bytesMax) {
    return switch (finalReply) {
      case FinalReply.Whole whole ->
          whole.body().readableBytes() > bytesMax
              ? notStored(id, "was larger than " + bytesMax + " bytes")
              : new StoredReply(
                  whole.status(), whole.contentType(), storedFields(whole.fields()), whole.body());
      case FinalReply.ErrorReply refusal ->
          refusal(refusal.error().fault(), id, storedFields(refusal.fields()));
      case FinalReply.StreamEnd _ -> notStored(id, "was a stream");
      case FinalReply.None _ -> outcomeUnknown(id);
    };
  }

  /** Returns the reply for a request whose execution is unknown. */
  static StoredReply outcomeUnknown(RequestId id) {
    Fault fault =
        Fault.of(
            ErrorCode.PROVIDER_FAILURE,
            "It is not known what came of the request: the gateway ended while it was in work.");
    return refusal(fault.withoutRetry(), id, List.of());
  }

  /**
   * Returns the reply for a request whose actual reply exceeds its organization's share of storage.
   */
  static StoredReply notStored(RequestId id) {
    return notStored(id, "found no room beside the organization's others");
  }

  /** Replaces the request id inside a replayed failure by that of the repeat. */
  static void replaceRequestId(StoredReply replayed, RequestId id) {
    ByteBuf body = replayed.body();
    if (replayed.status() < ERROR_STATUS_MIN) {
      return;
    }
    int name = ByteBufUtil.indexOf(REQUEST_ID, body);
    if (name >= 0) { // all ids have one length
      body.setCharSequence(name + REQUEST_ID.readableBytes(), id.value(), US_ASCII);
    }
  }

  /** Returns a conflict: the request did not fail, and a retry does not help. */
  private static StoredReply notStored(RequestId id, String reason) {
    Fault fault =
        Fault.of(
            ErrorCode.IDEMPOTENCY_CONFLICT,
            "A request with the same "
                + IdempotencyKey.FIELD
                + " was carried out, and its reply was not kept: it "
                + reason
                + ".");
    return refusal(fault, id, List.of());
  }

  private static StoredReply refusal(Fault fault, RequestId id, List<Field> fields) {
    ByteBuf body = Unpooled.buffer();
    ErrorEnvelope.write(body, fault, id);
    List<Field> all = new ArrayList<>(fields);
    Boolean shouldRetry = fault.shouldRetry();
    if (shouldRetry != null) {
      all.add(new Field("x-should-retry", shouldRetry.toString()));
    }
    return new StoredReply(fault.code().status(), JSON, all, body);
  }

  /** Returns the fields about the result; not those about limits and times of the first reply. */
  private static List<Field> storedFields(List<FieldLines> fields) {
    List<Field> stored = new ArrayList<>();
    for (FieldLines lines : fields) {
      if (lines instanceof Field field && field.name().startsWith(OURS)) {
        stored.add(field);
      }
    }
    return stored;
  }
}
