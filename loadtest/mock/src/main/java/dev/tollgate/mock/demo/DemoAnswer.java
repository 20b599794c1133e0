package dev.tollgate.mock.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Answer of the demo model to one request: a call of a tool, JSON as the request's {@code
 * response_format} wants it, or sentences. Equal requests get equal answers.
 *
 * @param tool name of the called function; null means an answer in words
 * @param tokens the text or the arguments in pieces; each is escaped for a JSON string and has one
 *     byte per character, as has the name
 */
public record DemoAnswer(@Nullable String tool, List<String> tokens) {
  private static final Pattern TOKEN = Pattern.compile(" ?[^ ]{1,12}| ");

  /** Answers the request with these members, of a chat or a completion. */
  public static DemoAnswer to(JsonMembers request) {
    Question question = Question.of(request);
    JsonMembers function = DemoTool.called(request, question);
    if (function != null) {
      JsonMembers parameters = object(function, "parameters");
      Object arguments = parameters == null ? Map.of() : SchemaSample.of(parameters);
      String name = escaped(function.string(function.indexOf("name")));
      return new DemoAnswer(name, split(JsonBytes.value(arguments).toString()));
    }
    return new DemoAnswer(null, split(text(object(request, "response_format"), question)));
  }

  /** Answers a request for the transcript of a recording. */
  public static DemoAnswer toRecording(double seconds) {
    return new DemoAnswer(null, split(Sentences.aboutRecording(seconds)));
  }

  private static String text(@Nullable JsonMembers format, Question question) {
    int type = format == null ? -1 : format.indexOf("type");
    if (format != null && type >= 0 && format.isString(type, "json_schema")) {
      JsonMembers named = object(format, "json_schema");
      JsonMembers schema = named == null ? null : object(named, "schema");
      return schema == null ? "{}" : JsonBytes.value(SchemaSample.of(schema)).toString();
    }
    if (format != null && type >= 0 && format.isString(type, "json_object")) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("provider", "demo");
      answer.put("question_ends_with", question.lastWords());
      answer.put("answer", Sentences.about(question));
      return JsonBytes.value(answer).toString();
    }
    return Sentences.about(question);
  }

  /** Returns the member of this name if it is an object. */
  static @Nullable JsonMembers object(JsonMembers members, String name) {
    int at = members.indexOf(name);
    return at < 0 ? null : object(members, at);
  }

  static @Nullable JsonMembers object(JsonItems items, int i) {
    return items.kind(i) == JsonKind.OBJECT ? items.object(i) : null;
  }

  private static List<String> split(String text) {
    return TOKEN.matcher(text).results().map(MatchResult::group).map(DemoAnswer::escaped).toList();
  }

  private static String escaped(String text) {
    String quoted = JsonBytes.string(text).toString();
    return new String(quoted.substring(1, quoted.length() - 1).getBytes(UTF_8), ISO_8859_1);
  }
}
