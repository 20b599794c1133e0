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

/** What is stored of a submission that carries a key: the reply that its client is given. */
final class StoredReplies {
  private static final String JSON = "application/json";
  private static final String OURS = "X-LLM-";
  private static final int ERROR_STATUS_MIN = 400;

  /** It cannot stand in a string, whose quotes are escaped. */
  private static final ByteBuf REQUEST_ID =
      Unpooled.unreleasableBuffer(
          Unpooled.wrappedBuffer("\"request_id\":\"".getBytes(US_ASCII)).asReadOnly());

  private StoredReplies() {}

  /**
   * What a client is told last, as others are told it again. Its body is the parting's own.
   *
   * @param bytesMax a larger body is not kept
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

  /** A submission of which nobody knows whether its provider did what it was asked. */
  static StoredReply outcomeUnknown(RequestId id) {
    Fault fault =
        Fault.of(
            ErrorCode.PROVIDER_FAILURE,
            "It is not known what came of the request: the gateway ended while it was in work.");
    return refusal(fault.withoutRetry(), id, List.of());
  }

  /** A submission whose reply is one too many of its organization's. */
  static StoredReply notStored(RequestId id) {
    return notStored(id, "found no room beside the organization's others");
  }

  /** A failure that is told again names the request that it is told to, in place of another. */
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

  /** Nothing failed, so that this is not told as a failure; and asking again does not help. */
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

  /** What says how it was made; not how the key's limits stood or how long it took. */
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
