package dev.tollgate.server.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.Flushable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes whole lines to the process's error stream, those of a batch in one call: a system call for
 * each line would cost more than the line. For one thread, which ends a batch with {@link #flush}.
 */
public final class ErrorStream extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements Flushable {
  private static final int BATCH_BYTES_MAX = 64 * 1024;
  private static final OutputStream STDERR = new FileOutputStream(FileDescriptor.err);

  private final OutputStream out;
  private Encoder<ILoggingEvent> encoder = new RequestEncoder();
  private final byte[] batch = new byte[BATCH_BYTES_MAX];
  private int size;

  /** As logback makes it. */
  public ErrorStream() {
    this(STDERR);
  }

  ErrorStream(OutputStream out) {
    this.out = out;
  }

  /** Makes bytes of an event; set from logback's configuration. */
  public void setEncoder(Encoder<ILoggingEvent> encoder) {
    this.encoder = encoder;
  }

  @Override
  protected void append(ILoggingEvent event) {
    byte[] line = encoder.encode(event);
    if (batch.length - size < line.length) {
      flush();
    }
    if (line.length > batch.length) {
      write(line, line.length);
      return;
    }
    System.arraycopy(line, 0, batch, size, line.length);
    size += line.length;
  }

  /** Writes what was appended since the last time. */
  @Override
  public void flush() {
    if (size > 0) {
      write(batch, size);
      size = 0;
    }
  }

  // One lock for all of them: a line of the one never stands inside a line of the other.
  private void write(byte[] bytes, int length) {
    try {
      synchronized (out) {
        out.write(bytes, 0, length);
      }
    } catch (IOException e) {
      addError("the error stream takes nothing", e);
    }
  }
}
