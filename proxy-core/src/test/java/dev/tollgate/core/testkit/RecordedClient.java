package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client that records its replies and checks the grammar of replies: one whole reply, one refusal,
 * or a stream that is opened, fed and ended; nothing out of order, nothing after the end, nothing
 * left unflushed.
 */
public final class RecordedClient implements Downstream {
  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final StringBuilder text = new StringBuilder();
  private final List<String> pieces = new ArrayList<>();
  private @Nullable Running running;
  private @Nullable List<Field> opened;
  private String contentType = "";
  private @Nullable Answer answer;
  private ErrorForm errorForm = new ErrorForm.Envelope();
  private boolean truncated;
  private boolean unflushed;
  private boolean writable = true;
  private boolean disconnected;
  private Class<?> failsOn = Void.class;
  private boolean holdsBodies;
  private boolean holdsPieces;
  private final List<ByteBuf> heldPieces = new ArrayList<>();
  private @Nullable ByteBuf heldBody;

  /** How the reply ended. */
  public sealed interface Answer {
    record Whole(int status, String contentType, List<Field> fields, String body)
        implements Answer {}

    /** The error envelope, as the reply's body or as an open stream's last event. */
    record Refused(Fault fault, List<Field> fields) implements Answer {}

    record Streamed() implements Answer {}
  }

  RecordedClient(EventLoop loop, ByteBufAllocator allocator) {
    this.loop = loop;
    this.allocator = allocator;
  }

  void attach(Running request) {
    running = request;
  }

  // Interface of the exchange

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  public void send(Reply reply) {
    if (failsOn.isInstance(reply)) {
      failsOn = Void.class;
      release(reply);
      throw new IllegalStateException("a fault of the gateway's own");
    }
    require(!disconnected, reply + " after the client left");
    require(answer == null, reply + " after the reply's end");
    unflushed = true;
    switch (reply) {
      case Reply.Whole whole -> {
        require(opened == null, "a whole reply in an open stream");
        answer =
            new Answer.Whole(
                whole.status(),
                whole.contentType(),
                TestFields.of(whole.fields()),
                received(whole.body()));
      }
      case Reply.Refused refused -> {
        answer = new Answer.Refused(refused.fault(), TestFields.of(refused.fields()));
        errorForm = refused.form();
        truncated = refused.truncates();
      }
      case Reply.Opened first -> open(first.fields(), "text/event-stream");
      case Reply.OpenedBytes first -> open(first.fields(), first.contentType());
      case Reply.OpenedFile first -> open(first.fields(), first.contentType());
      case Reply.Piece piece -> {
        require(opened != null, "events before the head");
        boolean isEvents = contentType.equals("text/event-stream");
        String events = taken(piece.events(), isEvents ? UTF_8 : ISO_8859_1);
        require(!isEvents || events.endsWith("\n\n"), "half an event: " + events);
        pieces.add(events);
        text.append(events);
      }
      case Reply.Ended _ -> {
        require(opened != null, "the end of a stream that was not opened");
        answer = new Answer.Streamed();
      }
    }
  }

  private void open(List<FieldLines> fields, String type) {
    require(opened == null, "a stream is opened once");
    opened = TestFields.of(fields);
    contentType = type;
  }

  @Override
  public void flush() {
    unflushed = false;
  }

  @Override
  public boolean isWritable() {
    return writable;
  }

  // Controls of a test

  @Override
  public void drop() {
    disconnect(DisconnectReason.STALLED);
  }

  /** The client closes the connection, or is disconnected because it stalled. */
  public void disconnect(DisconnectReason exit) {
    if (!disconnected) {
      disconnected = true;
      if (running != null && answer == null) {
        running.clientDisconnected(exit);
      }
    }
  }

  /** Keeps the bodies of plain replies in the gateway's memory, as a slow reader does. */
  public void holdsBodies(boolean holds) {
    holdsBodies = holds;
    ByteBuf body = heldBody;
    heldBody = null;
    if (body != null) {
      body.release();
    }
  }

  /** Keeps the pieces of streams in the gateway's memory. */
  public void holdsPieces(boolean holds) {
    holdsPieces = holds;
    heldPieces.forEach(ByteBuf::release);
    heldPieces.clear();
  }

  /** Makes the next part of this kind fail inside the gateway. */
  public void failOn(Class<? extends Reply> kind) {
    failsOn = kind;
  }

  private static void release(Reply reply) {
    switch (reply) {
      case Reply.Whole whole -> whole.body().release();
      case Reply.Piece piece -> piece.events().release();
      case Reply.Refused _,
          Reply.Opened _,
          Reply.OpenedBytes _,
          Reply.OpenedFile _,
          Reply.Ended _ -> {}
    }
  }

  /** The client stops or resumes reading. */
  public void writable(boolean nowWritable) {
    if (writable != nowWritable) {
      writable = nowWritable;
      if (running != null && answer == null && !disconnected) {
        running.writabilityChanged();
      }
    }
  }

  /** The node stops. */
  public void cutShort(Fault fault) {
    if (running != null && answer == null && !disconnected) {
      running.cutShort(fault);
    }
  }

  // Queries of a test

  public boolean isOpened() {
    return opened != null;
  }

  /** Returns the content type of the reply. */
  public String contentType() {
    return contentType;
  }

  public boolean isAnswered() {
    return answer != null;
  }

  public Answer answer() {
    Answer given = answer;
    if (given == null) {
      throw new AssertionError("no answer yet; text so far: " + text);
    }
    return given;
  }

  /** Returns the refusal, or the error event of an open stream. */
  public Fault fault() {
    if (answer() instanceof Answer.Refused refused) {
      return refused.fault();
    }
    throw new AssertionError("not refused but " + answer);
  }

  /** Returns the error format of the reply. */
  public ErrorForm errorForm() {
    return errorForm;
  }

  /** True if the connection ended behind the error without the stream's last chunk. */
  public boolean isTruncated() {
    return truncated;
  }

  public Answer.Whole whole() {
    if (answer() instanceof Answer.Whole whole) {
      return whole;
    }
    throw new AssertionError("not a whole reply but " + answer);
  }

  /** Returns the stream's events as sent. */
  public String text() {
    return text.toString();
  }

  /** Returns the sent bytes, write by write. */
  public List<String> pieces() {
    return List.copyOf(pieces);
  }

  /** A field of the reply's head. */
  public String field(String name) {
    return fields().stream()
        .filter(field -> field.name().equalsIgnoreCase(name))
        .map(Field::value)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no field " + name + " in " + fields()));
  }

  /** Returns the fields of the reply's head. */
  private List<Field> fields() {
    return opened != null
        ? opened
        : switch (answer()) {
          case Answer.Whole whole -> whole.fields();
          case Answer.Refused refused -> refused.fields();
          case Answer.Streamed _ -> List.of();
        };
  }

  /** True if the head of the reply has a field. */
  public boolean hasField(String name) {
    return fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(name));
  }

  boolean hasUnflushed() {
    return unflushed;
  }

  private String received(ByteBuf body) {
    if (!holdsBodies) {
      return take(body, UTF_8);
    }
    heldBody = body;
    return body.toString(UTF_8);
  }

  private String taken(ByteBuf bytes, Charset charset) {
    if (!holdsPieces) {
      return take(bytes, charset);
    }
    heldPieces.add(bytes);
    return bytes.toString(charset);
  }

  private static String take(ByteBuf bytes, Charset charset) {
    String text = bytes.toString(charset);
    bytes.release();
    return text;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
