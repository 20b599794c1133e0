package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Message from an exchange or handler to the reply handler: one part of the reply to a client. A
 * request is answered by one {@link Whole}, by one {@link Refused}, or by {@link Opened}, {@link
 * OpenedBytes} or {@link OpenedFile}, any number of {@link Piece}s and one {@link Ended}. A stream
 * that fails ends with one {@link Refused} instead, behind a piece with its usage; a body of bytes
 * that fails is cut off by it. The reply handler adds the request id, the date and the framing, and
 * decides whether the connection stays open.
 */
public sealed interface Reply {
  /** A complete reply. Owns {@code body}. */
  record Whole(int status, String contentType, List<FieldLines> fields, ByteBuf body)
      implements Reply {}

  /**
   * The error envelope; status and retry fields follow from the fault. In an opened stream it is
   * the last event, in the form that the stream's kind has for it, and {@code [DONE]} follows.
   *
   * @param truncates true if the connection then ends without the stream's last chunk
   */
  record Refused(Fault fault, List<FieldLines> fields, ErrorForm form, boolean truncates)
      implements Reply {
    /** Creates a refusal in the form of the envelope. */
    public Refused(Fault fault, List<FieldLines> fields) {
      this(fault, fields, new ErrorForm.Envelope(), false);
    }
  }

  /** Status 200 and the head of an event stream. */
  record Opened(List<FieldLines> fields) implements Reply {}

  /** Status 200 and the head of a body of unknown length. */
  record OpenedBytes(String contentType, List<FieldLines> fields) implements Reply {}

  /** The head of a body of known length; the whole reply to HEAD. */
  record OpenedFile(int status, String contentType, long contentBytes, List<FieldLines> fields)
      implements Reply {}

  /** Whole events of an opened stream, or bytes. Owns {@code events}. */
  record Piece(ByteBuf events) implements Reply {}

  /** The end of an opened stream; its {@code [DONE]} was in a piece. */
  record Ended() implements Reply {}
}
