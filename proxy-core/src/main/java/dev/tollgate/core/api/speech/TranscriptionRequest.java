package dev.tollgate.core.api.speech;

import dev.tollgate.core.api.FormFields;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.audio.AudioLength;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptMedia;
import dev.tollgate.core.prompt.PromptSize;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validated multipart body of POST /v1/audio/transcriptions, over the array in which it was
 * received.
 */
public final class TranscriptionRequest implements InferenceRequest {
  private static final int AUDIO_TOKENS_PER_SECOND_LIKELY = 10;
  private static final int AUDIO_TOKENS_PER_SECOND_MAX = 32;
  // Fast speech, with a time and a speaker for each word.
  private static final int TOKENS_WRITTEN_PER_SECOND_MOST = 10;
  private static final Duration PLAUSIBLE_DURATION_MIN = Duration.ofHours(4);
  private static final int PLAUSIBLE_TOKENS_MIN = 10_000;
  private static final int PLAUSIBLE_FACTOR = 8;
  private static final String FORMATS =
      "must be json, verbose_json, diarized_json, text, srt or vtt";

  private static final FormFields FIELDS = new FormFields(rules());

  private final MultipartForm form;
  private final RequestTarget target;
  private final TranscriptFormat format;
  private final boolean stream;
  private final FormPart file;
  private @Nullable Length length;

  /**
   * Length of the audio file.
   *
   * @param declared length by the file itself
   */
  private record Length(Optional<Duration> declared, Duration likely, Duration most) {}

  private TranscriptionRequest(MultipartForm form, RequestTarget target) {
    this.form = form;
    this.target = target;
    this.format =
        TranscriptFormat.parse(form.text("response_format").orElse(""))
            .orElse(TranscriptFormat.JSON);
    this.stream = form.text("stream").orElse("").equals("true");
    this.file = form.part("file").orElseThrow();
  }

  /** Measures the file once, and only for requests that are priced. */
  private Length length() {
    Length known = length;
    if (known == null) {
      Duration bound = AudioLength.atMost(file.sizeBytes());
      Optional<Duration> declared = AudioLength.declared(form.bytes(), file.from(), file.to());
      Duration likely = declared.orElse(bound);
      known = new Length(declared, likely, longer(likely, bound));
      length = known;
    }
    return known;
  }

  @Override
  public void measure() {
    var _ = length();
  }

  private static Map<String, FormFields.Rule> rules() {
    Map<String, FormFields.Rule> rules = new HashMap<>();
    FormFields.Rule granularity =
        FormFields.oneOf(Set.of("word", "segment"), "must be word or segment");
    rules.put("file", new FormFields.Rule.File());
    rules.put("model", FormFields.text());
    rules.put("language", FormFields.text());
    rules.put("prompt", FormFields.text());
    rules.put("routing", FormFields.text());
    rules.put(
        "response_format",
        new FormFields.Rule.Text(text -> TranscriptFormat.parse(text).isPresent(), FORMATS));
    rules.put("temperature", FormFields.number(0, 1, "must be a number between 0 and 1"));
    rules.put("stream", FormFields.oneOf(Set.of("true", "false"), "must be true or false"));
    rules.put("timestamp_granularities", granularity);
    rules.put("timestamp_granularities[]", granularity);
    return rules;
  }

  /**
   * Reads and checks a body; all issues are reported at once.
   *
   * @param contentType Content-Type of the body
   */
  public static ParseResult<TranscriptionRequest> parse(
      byte[] bytes, int length, String contentType) {
    return MultipartForm.read(bytes, length, contentType).then(TranscriptionRequest::check);
  }

  private static ParseResult<TranscriptionRequest> check(MultipartForm form) {
    return RequestCheck.of(form, issues -> FIELDS.check(form, issues, "file", "model"))
        .result(target -> new TranscriptionRequest(form, target));
  }

  @Override
  public Operation operation() {
    return Operation.TRANSCRIPTION;
  }

  @Override
  public RequestTarget target() {
    return target;
  }

  @Override
  public boolean isStream() {
    return stream;
  }

  @Override
  public String accept() {
    return stream ? "text/event-stream" : "*/*";
  }

  @Override
  public boolean mayBeAnsweredAs(String contentType) {
    return format.isText()
        && (contentType.startsWith("text/") || contentType.startsWith("application/x-subrip"))
        && !contentType.startsWith("text/html");
  }

  /** Returns true, because older models ignore a request for a stream. */
  @Override
  public boolean mayBeAnsweredWhole() {
    return true;
  }

  TranscriptFormat format() {
    return format;
  }

  /** Returns the length of the file, for a provider that does not report it. */
  Duration likely() {
    return length().likely();
  }

  /** Returns the likely length if the end of the last subtitle is known; silence may follow it. */
  Duration likely(Duration lastCueEnd) {
    return lastCueEnd.compareTo(plausibleDurationMax()) > 0
        ? likely()
        : longer(lastCueEnd, length().declared().orElse(Duration.ZERO));
  }

  /** Returns the bound of plausible audio time. */
  Duration plausibleDurationMax() {
    return longer(length().most().multipliedBy(2), PLAUSIBLE_DURATION_MIN);
  }

  /**
   * Returns the bound of plausible token counts; audio may be compressed more than the estimate
   * assumes.
   */
  int plausibleTokensMax() {
    long audioTokens = PLAUSIBLE_FACTOR * length().most().toSeconds() * AUDIO_TOKENS_PER_SECOND_MAX;
    return (int) Math.max(PLAUSIBLE_TOKENS_MIN, audioTokens + form.sizeBytes("prompt"));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** Returns the likely tokens of the audio. */
  long audioTokensLikely() {
    return Math.ceilDiv(likely().toMillis() * AUDIO_TOKENS_PER_SECOND_LIKELY, 1_000);
  }

  @Override
  public PromptSize prompt() {
    return new PromptSize(form.sizeBytes("prompt"), 0, audioTokensLikely(), PromptMedia.NONE);
  }

  @Override
  public MicroUsd estimate(Model served) {
    Duration durationMax = length().most();
    long audioTokens = durationMax.toSeconds() * AUDIO_TOKENS_PER_SECOND_MAX;
    long prompt =
        TokenEstimate.atMost(form.sizeBytes("prompt"), audioTokens + 1, served.contextLengthMax());
    List<Quantity> time = List.of(new Quantity.AudioTime(durationMax));
    return new WorstCase(prompt, writtenAtMost(served), true, time).cost(served.prices());
  }

  private long writtenAtMost(Model served) {
    long spoken = (1 + length().most().toSeconds()) * TOKENS_WRITTEN_PER_SECOND_MOST;
    return TokenEstimate.outputAtMost(Math.max(served.outputTokensReserved(), spoken), served);
  }

  @Override
  public long tokensEstimated(Model served) {
    return prompt().tokensSetAside();
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    return DroppedFields.of(form.pricedFields(operation(), route));
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return upstreamBody(route).body();
  }

  UpstreamBody upstreamBody(Route route) {
    List<String> dropped = form.pricedFields(operation(), route);
    Set<String> without = new HashSet<>(dropped);
    without.add("routing");
    var edits = new MultipartForm.Edits(Map.of("model", route.upstreamModel()), without);
    return new UpstreamBody(form.edited(edits), form.contentType(), DroppedFields.of(dropped));
  }

  @Override
  public TranscriptionCall call(RequestId id, Model served) {
    return new TranscriptionCall(id, this, served);
  }
}
