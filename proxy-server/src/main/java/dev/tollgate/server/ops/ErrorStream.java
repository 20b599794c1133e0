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
 * Logback appender that writes lines to stderr in batches, because a system call costs more than a
 * line. It is confined to one thread, which ends a batch with {@link #flush}.
 */
public final class ErrorStream extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements Flushable {
  private static final int BATCH_BYTES_MAX = 64 * 1024;
  private static final OutputStream STDERR = new FileOutputStream(FileDescriptor.err);

  private final OutputStream out;
  private Encoder<ILoggingEvent> encoder = new RequestEncoder();
  private final byte[] batch = new byte[BATCH_BYTES_MAX];
  private int size;

  /** Created by logback through reflection. */
  public ErrorStream() {
    this(STDERR);
  }

  ErrorStream(OutputStream out) {
    this.out = out;
  }

  /** Sets the encoder of events; called from logback's configuration. */
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

  /** Writes the lines appended since the last flush. */
  @Override
  public void flush() {
    if (size > 0) {
      write(batch, size);
      size = 0;
    }
  }

  // One lock for all appenders, so that their lines do not interleave.
  private void write(byte[] bytes, int length) {
    try {
      synchronized (out) {
        out.write(bytes, 0, length);
      }
    } catch (IOException e) {
      addError("the error stream cannot be written", e);
    }
  }
}
