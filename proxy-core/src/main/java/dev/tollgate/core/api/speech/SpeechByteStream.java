package dev.tollgate.core.api.speech;

import dev.tollgate.core.api.ReplyByteStream;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * State of one provider's reply with audio bytes, which are passed to the client, counted and never
 * parsed. The cost by characters is known from the request; tokens and seconds are estimated from
 * the size.
 */
public final class SpeechByteStream implements ReplyByteStream {
  private final List<Quantity> quantities;
  private final Optional<Usage> known;
  private final SpeechFormat format;
  private long bytes;
  private boolean ended;

  /**
   * @param quantities usage known from the request
   * @param known the usage if nothing must be estimated
   */
  SpeechByteStream(List<Quantity> quantities, Optional<Usage> known, SpeechFormat format) {
    this.quantities = List.copyOf(quantities);
    this.known = known;
    this.format = format;
  }

  @Override
  public void received(int more) {
    bytes += more;
  }

  @Override
  public void end() {
    ended = true;
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return known;
  }

  @Override
  public List<Quantity> quantities() {
    List<Quantity> all = new ArrayList<>(quantities);
    all.add(new Quantity.AudioTime(format.timeOf(bytes)));
    return all;
  }

  @Override
  public long deliveredTokens() {
    return format.tokensOf(bytes);
  }

  @Override
  public boolean contentSeen() {
    return bytes > 0;
  }

  @Override
  public boolean isWritten() {
    return bytes > 0;
  }

  @Override
  public boolean finished() {
    return ended && bytes > 0;
  }

  @Override
  public long badEvents() {
    return 0;
  }

  @Override
  public void release() {}
}
