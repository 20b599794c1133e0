package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/** Messages of an OpenAI-like provider as text. */
public final class OpenAiWire {
  /** The head of a chunked event stream. */
  public static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** The end of a chunked body. */
  public static final String LAST_CHUNK = "0\r\n\r\n";

  private OpenAiWire() {}

  /** One chunk of a chunked body. */
  public static String chunk(String data) {
    return Integer.toHexString(data.getBytes(UTF_8).length) + "\r\n" + data + "\r\n";
  }

  /** One event in a chunk of its own. */
  public static String event(String json) {
    return chunk(data(json));
  }

  /** One event without framing. */
  public static String data(String json) {
    return "data: " + json + "\n\n";
  }

  /** First chunk of a stream. */
  public static String role() {
    return choice("{\"role\":\"assistant\",\"content\":\"\"}", "null");
  }

  /** A chunk with text. */
  public static String content(String text) {
    return choice("{\"content\":\"" + text + "\"}", "null");
  }

  /** The chunk that finishes a stream. */
  public static String finish(String reason) {
    return choice("{}", "\"" + reason + "\"");
  }

  public static String usage(long prompt, long completion) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[],\"usage\":"
        + usageObject(prompt, completion)
        + "}";
  }

  private static String usageObject(long prompt, long completion) {
    return "{\"prompt_tokens\":"
        + prompt
        + ",\"completion_tokens\":"
        + completion
        + ",\"total_tokens\":"
        + (prompt + completion)
        + "}";
  }

  private static String choice(String delta, String finish) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + "}]}";
  }

  /** A complete stream after its head: role, words, finish, usage, {@code [DONE]}, last chunk. */
  public static String wholeStream(String... words) {
    StringBuilder all = new StringBuilder(event(role()));
    for (String word : words) {
      all.append(event(content(word)));
    }
    return all.append(event(finish("stop")))
        .append(event(usage(7, words.length)))
        .append(event("[DONE]"))
        .append(LAST_CHUNK)
        .toString();
  }

  /** A plain completion with its head. */
  public static String completion(String text) {
    return response(200, "OK", "", completionBody(text));
  }

  /** Plain completion with token counts. */
  public static String completion(String text, long prompt, long completion) {
    return response(200, "OK", "", completionBody(text, prompt, completion));
  }

  /**
   * Plain completion with reasoning that is counted beside the completion and billed on top of it.
   */
  public static String completionWithSeparateReasoning(
      String text, long prompt, long completion, long reasoning) {
    String plain = usageObject(prompt, completion);
    String details = ",\"completion_tokens_details\":{\"reasoning_tokens\":" + reasoning + "}}";
    String usage =
        plain.replace(
            "\"total_tokens\":" + (prompt + completion) + "}",
            "\"total_tokens\":" + (prompt + completion + reasoning) + details);
    return response(200, "OK", "", completionBody(text, prompt, completion).replace(plain, usage));
  }

  public static String completionBody(String text) {
    return completionBody(text, 7, 1);
  }

  private static String completionBody(String text, long prompt, long completion) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
        + text
        + "\"},\"finish_reason\":\"stop\"}],\"usage\":"
        + usageObject(prompt, completion)
        + "}";
  }

  /** A plain text completion with its head. */
  public static String textCompletion(String text) {
    return response(
        200,
        "OK",
        "",
        "{\"id\":\"c1\",\"object\":\"text_completion\",\"created\":1,\"model\":\"m\",\"choices\":["
            + textChoice(0, text, "\"stop\"")
            + "],\"usage\":"
            + usageObject(7, 1)
            + "}");
  }

  /** A chunk of a text completion; {@code finish} is JSON. */
  public static String text(int index, String text, String finish) {
    return "{\"id\":\"c1\",\"object\":\"text_completion\",\"created\":1,\"choices\":["
        + textChoice(index, text, finish)
        + "],\"model\":\"m\"}";
  }

  private static String textChoice(int index, String text, String finish) {
    return "{\"text\":\""
        + text
        + "\",\"index\":"
        + index
        + ",\"logprobs\":null,\"finish_reason\":"
        + finish
        + "}";
  }

  /** Two vectors, with their head. */
  public static String embeddings(long tokens) {
    return response(
        200,
        "OK",
        "",
        "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.25,1]},"
            + "{\"object\":\"embedding\",\"index\":1,\"embedding\":[-1.5e-3,0]}],\"model\":\"m\","
            + "\"usage\":{\"prompt_tokens\":"
            + tokens
            + ",\"total_tokens\":"
            + tokens
            + "}}");
  }

  /** Form for {@link TestCatalog}'s model with a file of {@code fileBytes}, and fields like a=b. */
  public static String form(int fileBytes, String... fields) {
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    StringBuilder form = new StringBuilder(fileBytes + 500);
    form.append(head).append("file\"; filename=\"a.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\n");
    form.append("x".repeat(fileBytes)).append("\r\n");
    for (String field : fields) {
      String[] parts = field.split("=", 2);
      form.append(head).append(parts[0]).append("\"\r\n\r\n").append(parts[1]).append("\r\n");
    }
    return form.append(head).append("model\"\r\n\r\nacme/one\r\n--b--\r\n").toString();
  }

  /** Transcript with tokens of audio and of text. */
  public static String transcript(long audioTokens, long textTokens) {
    String usage =
        "{\"type\":\"tokens\",\"input_tokens\":%d,\"output_tokens\":%d,\"total_tokens\":%d}"
            .formatted(audioTokens, textTokens, audioTokens + textTokens);
    return response(200, "OK", "", "{\"text\":\"Say it.\",\"usage\":" + usage + "}");
  }

  /** One image with input and output tokens. */
  public static String images(long input, long output) {
    String usage =
        "{\"input_tokens\":%d,\"output_tokens\":%d,\"total_tokens\":%d}"
            .formatted(input, output, input + output);
    return response(
        200,
        "OK",
        "",
        "{\"created\":1700000000,\"data\":[{\"b64_json\":\"iVBORw0KGgo=\"}],\"usage\":"
            + usage
            + "}");
  }

  /** A form for {@link TestCatalog}'s model with two pictures, and fields like a=b. */
  public static String pictures(String prompt, String... fields) {
    return pictures(List.of("image", "mask"), prompt, fields);
  }

  /** Form with these files. */
  public static String pictures(List<String> files, String prompt, String... fields) {
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    StringBuilder form = new StringBuilder();
    for (String name : files) {
      form.append(head).append(name).append("\"; filename=\"a.png\"\r\n\r\nGIF89a......\r\n");
    }
    form.append(head).append("prompt\"\r\n\r\n").append(prompt).append("\r\n");
    for (String field : fields) {
      String[] parts = field.split("=", 2);
      form.append(head).append(parts[0]).append("\"\r\n\r\n").append(parts[1]).append("\r\n");
    }
    return form.append(head).append("model\"\r\n\r\nacme/one\r\n--b--\r\n").toString();
  }

  /** Speech of a provider: bytes of which only the type is known. */
  public static String audio(String bytes) {
    return "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: "
        + bytes.length()
        + "\r\n\r\n"
        + bytes;
  }

  /** An OpenAI-like error. */
  public static String error(int status, String code, String message) {
    return error(status, "", code, message);
  }

  /**
   * An OpenAI-like error with more header fields.
   *
   * @param fields lines, each with its CRLF
   */
  public static String error(int status, String fields, String code, String message) {
    return response(status, "No", fields, errorBody(code, message));
  }

  public static String errorBody(String code, String message) {
    return "{\"error\":{\"message\":\""
        + message
        + "\",\"type\":\"some_error\",\"param\":null,\"code\":\""
        + code
        + "\"}}";
  }

  /** A response with a JSON body. */
  public static String response(int status, String phrase, String fields, String body) {
    return "HTTP/1.1 "
        + status
        + " "
        + phrase
        + "\r\nContent-Type: application/json\r\n"
        + fields
        + "Content-Length: "
        + body.getBytes(UTF_8).length
        + "\r\n\r\n"
        + body;
  }
}
