package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.mock.MockRequest.Audio;
import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.StreamEvent.Kind;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Builds the mock provider's healthy audio replies, plain or streamed: speech or a transcript. */
final class AudioText {
  private static final int TOKENS_PER_SECOND = 10;
  private static final String MEASURES =
      ",\"tokens\":[50364,50414],\"temperature\":0.0,\"avg_logprob\":-0.25,"
          + "\"compression_ratio\":1.25,\"no_speech_prob\":0.01";

  private final MockRequest request;
  private final ReplyWords words;
  private final int tokens;

  AudioText(MockRequest request, ReplyWords words, int tokens) {
    this.request = request;
    this.words = words;
    this.tokens = tokens;
  }

  private boolean isSpeech() {
    return request.operation() == Operation.SPEECH;
  }

  private Audio audio() {
    return request.audio();
  }

  String contentType() {
    if (isSpeech()) {
      return AudioSamples.contentType(audio().format());
    }
    return switch (audio().format()) {
      case "text", "srt" -> "text/plain; charset=utf-8";
      case "vtt" -> "text/vtt; charset=utf-8";
      default -> "application/json";
    };
  }

  /** Returns the streamed parts: bytes of audio, or events. */
  List<StreamEvent> events() {
    List<String> pieces =
        isSpeech() ? AudioSamples.pieces(audio().format(), Math.max(1, tokens)) : words();
    List<StreamEvent> events = new ArrayList<>();
    for (int n = 0; n < pieces.size(); n++) {
      events.add(new StreamEvent(Kind.CONTENT, piece(pieces.get(n)), n + 1));
    }
    if (request.stream()) {
      events.add(new StreamEvent(Kind.FINISH, done(), pieces.size() + 1));
      events.add(new StreamEvent(Kind.DONE, "[DONE]", pieces.size() + 1));
    }
    return events;
  }

  private List<String> words() {
    List<String> pieces = new ArrayList<>();
    for (int n = 0; n < tokens; n++) {
      pieces.add(words.word(n));
    }
    return pieces;
  }

  private String piece(String content) {
    if (!request.stream()) {
      return content;
    }
    return isSpeech()
        ? "{\"type\":\"speech.audio.delta\",\"audio\":\"%s\"}"
            .formatted(Base64.getEncoder().encodeToString(content.getBytes(ISO_8859_1)))
        : "{\"type\":\"transcript.text.delta\",\"delta\":\"%s\"}".formatted(content);
  }

  private String done() {
    return isSpeech()
        ? "{\"type\":\"speech.audio.done\",\"usage\":%s}".formatted(usage())
        : "{\"type\":\"transcript.text.done\",\"text\":\"%s\",\"usage\":%s}"
            .formatted(words.text(tokens), usage());
  }

  /** Returns the plain reply in the requested format. */
  String body(String usageMember) {
    String text = words.text(tokens);
    String times = time(0, ',') + " --> " + time(audio().seconds(), ',');
    return switch (audio().format()) {
      case "text" -> plain(text) + "\n";
      case "srt" -> "1\n" + times + "\n" + plain(text) + "\n\n";
      case "vtt" -> "WEBVTT\n\n" + times.replace(',', '.') + "\n" + plain(text) + "\n\n";
      case "verbose_json" ->
          "{\"task\":\"transcribe\",\"language\":\"english\",\"duration\":%s,\"text\":\"%s\",\"segments\":[%s]%s}"
              .formatted(
                  audio().seconds(), text, segment("\"id\":0,\"seek\":0" + MEASURES), usageMember);
      case "diarized_json" ->
          "{\"task\":\"transcribe\",\"duration\":%s,\"text\":\"%s\",\"segments\":[%s]%s}"
              .formatted(
                  audio().seconds(),
                  text,
                  segment(
                      "\"type\":\"transcript.text.segment\",\"id\":\"seg_0\",\"speaker\":\"A\""),
                  usageMember);
      default -> "{\"text\":\"%s\"%s}".formatted(text, usageMember);
    };
  }

  private String segment(String members) {
    return "{%s,\"start\":0.0,\"end\":%s,\"text\":\"%s\"}"
        .formatted(members, audio().seconds(), words.text(tokens));
  }

  private static String plain(String json) {
    return json.replace("\\\"", "\"").replace("\\n", " ");
  }

  private static String time(double seconds, char point) {
    long millis = Math.round(seconds * 1_000);
    return "%02d:%02d:%02d%c%03d"
        .formatted(
            millis / 3_600_000, millis / 60_000 % 60, millis / 1_000 % 60, point, millis % 1_000);
  }

  /** Returns the usage: in seconds for whisper models, as OpenAI counts them, else in tokens. */
  String usage() {
    if (!isSpeech() && request.model().contains("whisper")) {
      return "{\"type\":\"duration\",\"seconds\":%s}".formatted(Math.round(audio().seconds()));
    }
    int audioTokens = (int) Math.ceil(audio().seconds() * TOKENS_PER_SECOND);
    int input = isSpeech() ? request.promptTokens() : audioTokens;
    String details =
        isSpeech()
            ? ""
            : ",\"input_token_details\":{\"text_tokens\":0,\"audio_tokens\":%d}"
                .formatted(audioTokens);
    return "{\"type\":\"tokens\",\"input_tokens\":%d,\"output_tokens\":%d,\"total_tokens\":%d%s}"
        .formatted(input, tokens, input + tokens, details);
  }
}
