package dev.tollgate.core.exchange.download;

import dev.tollgate.core.exchange.download.DownloadService.Part;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.ByteRange;
import dev.tollgate.core.http.ByteRange.Span;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.storage.BlobFile;
import dev.tollgate.core.storage.BlobFile.Read;
import dev.tollgate.core.storage.BlobFiles.Opened;
import dev.tollgate.core.storage.BlobName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Running download of one stored blob to one client. The next piece is read from the disk when the
 * client has taken the one before, so that a slow client costs one piece of memory. Loop-confined.
 */
final class Download implements Running {
  private static final Logger LOG = LoggerFactory.getLogger(Download.class);
  private static final int PIECE_BYTES = 32 * 1024;

  /**
   * Grace period before the minimum rate of 16 KiB/s applies. A slow client occupies one of the
   * node's downloads, also if it reads a little now and then and never stalls.
   */
  private static final long GRACE_NANOS = 60_000_000_000L;

  private static final long NANOS_PER_BYTE = 1_000_000_000L / (16 * 1024);

  /**
   * Header fields that keep a browser from showing the bytes as a page of this host, and from
   * caching them.
   */
  private static final List<FieldLines> FIELDS =
      List.of(
          new Field("X-Content-Type-Options", "nosniff"),
          new Field("Content-Disposition", "attachment"),
          new Field("Content-Security-Policy", "default-src 'none'; sandbox"),
          new Field("Cache-Control", "private, no-store"),
          new Field("Accept-Ranges", "bytes"));

  private static final Fault ABSENT =
      Fault.of(ErrorCode.NOT_FOUND, "There is nothing at this URL, or it has expired.");
  private static final String UNREADABLE = "The file cannot be read at the moment.";

  private final BlobName name;
  private final Part part;
  private final Downstream downstream;
  private final RequestLoop loop;
  private final Runnable whenEnded;
  private final long beganNanos;
  private @Nullable ScheduledFuture<?> clock;
  private @Nullable BlobFile file;
  private long from;
  private long to;
  private long sentBytes;
  private boolean reading;
  private boolean finished;
  private boolean ended;

  Download(BlobName name, Part part, Downstream downstream, Runnable whenEnded) {
    this.name = name;
    this.part = part;
    this.downstream = downstream;
    this.whenEnded = whenEnded;
    this.loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.beganNanos = loop.now();
  }

  /** Drops a client below the minimum rate; else checks again when more must have been read. */
  void checkProgress() {
    loop.check();
    long dueNanos = beganNanos + GRACE_NANOS + sentBytes * NANOS_PER_BYTE;
    long leftNanos = dueNanos - loop.now();
    if (leftNanos > 0) {
      clock = loop.schedule(this::checkProgress, Duration.ofNanos(leftNanos));
    } else if (!finished) {
      downstream.drop();
    }
  }

  /** Continues with the result of opening the file. */
  void onOpened(Opened opened) {
    loop.run(() -> opened(opened));
  }

  private void opened(Opened opened) {
    if (opened instanceof Opened.Found found) {
      file = found.file();
    }
    if (finished) {
      end();
      return;
    }
    switch (opened) {
      case Opened.Found found -> begin(found.file());
      case Opened.Absent _ -> refuse(ABSENT);
      case Opened.Unavailable _ -> refuse(Fault.tryLater(UNREADABLE));
    }
  }

  private void begin(BlobFile found) {
    long length = found.length();
    ByteRange range =
        switch (part) {
          case Part.Head _ -> new ByteRange.All();
          case Part.Bytes bytes -> bytes.range();
        };
    switch (range.spanIn(length)) {
      case Span.Whole _ -> begin(found, 200, new Span.Part(0, length), FIELDS);
      case Span.Part span -> {
        String which = span.from() + "-" + (span.to() - 1) + "/" + length;
        begin(found, 206, span, with("bytes " + which));
      }
      case Span.Unsatisfiable _ -> {
        List<FieldLines> fields = with("bytes */" + length);
        downstream.send(new Reply.Whole(416, "text/plain", fields, Unpooled.EMPTY_BUFFER));
        finish();
      }
    }
  }

  private static List<FieldLines> with(String contentRange) {
    List<FieldLines> fields = new ArrayList<>(FIELDS);
    fields.add(new Field("Content-Range", contentRange));
    return fields;
  }

  private void begin(BlobFile found, int status, Span.Part span, List<FieldLines> fields) {
    from = span.from();
    to = span.to();
    downstream.send(new Reply.OpenedFile(status, name.type().mediaType(), to - from, fields));
    if (part instanceof Part.Head || from == to) {
      complete();
    } else {
      downstream.flush();
      readOn(found);
    }
  }

  private void readOn(BlobFile found) {
    if (reading || finished || !downstream.isWritable()) {
      return;
    }
    long position = from + sentBytes;
    int bytes = (int) Math.min(PIECE_BYTES, to - position);
    ByteBuf piece = downstream.allocator().ioBuffer(bytes, bytes);
    reading = true;
    found.read(position, piece, loop.guarded(read -> pieceRead(found, piece, read)));
  }

  private void pieceRead(BlobFile found, ByteBuf piece, Read read) {
    reading = false;
    if (finished) {
      piece.release();
      end();
      return;
    }
    switch (read) {
      case Read.Done _ when !piece.isWritable() -> {
        sentBytes += piece.readableBytes();
        downstream.send(new Reply.Piece(piece));
        if (from + sentBytes == to) {
          complete();
        } else {
          downstream.flush();
          readOn(found);
        }
      }
      case Read.Done _, Read.Failed _ -> { // truncated while it was read, or unreadable
        piece.release();
        refuse(Fault.tryLater(UNREADABLE));
      }
    }
  }

  private void complete() {
    downstream.send(new Reply.Ended());
    finish();
  }

  private void finish() {
    finished = true;
    downstream.flush();
    end();
  }

  /** Refuses; a body that has begun is cut off, so that no client takes it for complete. */
  void refuse(Fault fault) {
    loop.check();
    finished = true;
    downstream.send(new Reply.Refused(fault, List.of()));
    downstream.flush();
    end();
  }

  /** Closes the file, once and not during a read. */
  private void end() {
    if (ended || reading) {
      return;
    }
    ended = true;
    if (clock != null) {
      clock.cancel(false);
    }
    if (file != null) {
      file.close();
    }
    whenEnded.run();
  }

  @Override
  public void clientDisconnected(DisconnectReason exit) {
    loop.check();
    finished = true;
    if (file != null) {
      end(); // else it is being opened, and ends when it is open
    }
  }

  @Override
  public void writabilityChanged() {
    BlobFile open = file;
    if (open != null) {
      loop.run(() -> readOn(open));
    }
  }

  /** Ends the download because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("a download of {} failed", name, unexpected);
    if (!finished) {
      reading = false;
      refuse(Fault.of(ErrorCode.INTERNAL_FAILURE, "The download failed unexpectedly."));
    }
  }

  @Override
  public void cutShort(Fault fault) {
    loop.check();
    if (finished) {
      return;
    }
    if (file != null) {
      refuse(fault);
    } else {
      finished = true;
      downstream.send(new Reply.Refused(fault, List.of()));
      downstream.flush();
    }
  }
}
