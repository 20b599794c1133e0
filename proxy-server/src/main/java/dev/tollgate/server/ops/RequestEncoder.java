package dev.tollgate.server.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;

/**
 * Logback encoder that writes the JSON line of an access log event without an intermediate string.
 * Of any other event it writes the message.
 */
public final class RequestEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  @Override
  public byte[] encode(ILoggingEvent event) {
    Object[] arguments = event.getArgumentArray();
    return arguments != null && arguments.length == 1 && arguments[0] instanceof AccessLine line
        ? line.utf8('\n')
        : (event.getFormattedMessage() + '\n').getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
