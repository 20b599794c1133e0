package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.net.PublicUrl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Names of the known fields of a multipart form, with the validation rules of their values: the
 * counterpart of {@link FieldRules}. A name that ends in brackets is a list: each item is a field
 * of that name.
 */
public final class FormFields {
  private static final int TEXT_BYTES_MAX = 64 * 1024;
  private static final int UNREAD_BYTES_MAX = 2 * PublicUrl.CHARS_MAX;

  private final Map<String, Rule> rules;

  /** Validation rule of one form field. */
  public sealed interface Rule {
    /** A file that is not empty. */
    record File() implements Rule {}

    /** Any number of files that are not empty. */
    record Files() implements Rule {}

    /** Text that passes a test; empty text counts as absent. */
    record Text(Predicate<String> test, String message, int bytesMax) implements Rule {
      public Text(Predicate<String> test, String message) {
        this(test, message, TEXT_BYTES_MAX);
      }
    }
  }

  public FormFields(Map<String, Rule> rules) {
    this.rules = Map.copyOf(rules);
  }

  /** Accepts any text. */
  public static Rule text() {
    return new Rule.Text(_ -> true, "");
  }

  /** Accepts one of these words. */
  public static Rule oneOf(Set<String> words, String message) {
    return new Rule.Text(words::contains, message);
  }

  /** Accepts text that matches a pattern. */
  public static Rule matching(String pattern, String message) {
    return new Rule.Text(Pattern.compile(pattern).asMatchPredicate(), message);
  }

  /** Accepts an integer within bounds, written as JSON. */
  public static Rule integer(long min, long max, String message) {
    return new Rule.Text(
        text -> {
          OptionalLong number = integer(text);
          return number.isPresent() && number.getAsLong() >= min && number.getAsLong() <= max;
        },
        message);
  }

  /** Reads a number as JSON, where {@code 16.0} is an integer; empty if the text is none. */
  public static OptionalLong integer(String text) {
    byte[] list = ("[" + text + "]").getBytes(UTF_8);
    try {
      JsonElements one = JsonElements.of(list, 0, list.length);
      long number = one.size() == 1 ? one.integer(0, Long.MIN_VALUE) : Long.MIN_VALUE;
      return number == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(number);
    } catch (InvalidJson e) {
      return OptionalLong.empty();
    }
  }

  /** Accepts a number within bounds. */
  public static Rule number(double min, double max, String message) {
    return new Rule.Text(
        text -> {
          try {
            double number = Double.parseDouble(text);
            return number >= min && number <= max;
          } catch (NumberFormatException e) {
            return false;
          }
        },
        message);
  }

  /** Reports missing fields, then names, then values. */
  public void check(MultipartForm form, Issues issues, String... required) {
    for (String name : required) {
      if (form.part(name).isEmpty()) {
        issues.add(name, "is required");
      }
    }
    Set<String> seen = new HashSet<>();
    for (FormPart part : form.parts()) {
      if (!issues.isFull()) {
        name(part, seen, issues);
      }
    }
    for (FormPart part : form.parts()) {
      Rule rule = rules.get(part.name());
      if (rule != null && !issues.isFull()) {
        value(form, part, rule, issues);
      }
    }
  }

  /** Returns the text fields of other names as an object: of each the beginning, for URLs. */
  public JsonMembers unread(MultipartForm form) {
    ByteBuf out = Unpooled.buffer();
    JsonWriter json = new JsonWriter(out).beginObject();
    for (FormPart part : form.parts()) {
      if (!rules.containsKey(part.name()) && !part.isFile()) {
        int sizeBytes = Math.min(part.sizeBytes(), UNREAD_BYTES_MAX);
        String text = new String(form.bytes(), part.from(), sizeBytes, UTF_8);
        json.name(part.name()).string(text);
      }
    }
    json.endObject();
    return JsonMembers.ofKept(Arrays.copyOf(out.array(), out.writerIndex()));
  }

  private void name(FormPart part, Set<String> seen, Issues issues) {
    String name = part.name();
    String folded = name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    if (!rules.containsKey(name)) {
      if (isRoutingField(folded)) {
        // An ignored routing preference could send the file to a provider that its owner excluded.
        issues.add(name, "is not read in forms: send routing as JSON text in one field");
      } else if (rules.containsKey(folded)) {
        issues.add(name, "is a case variant of " + folded);
      }
    } else if (!seen.add(name) && !mayBeRepeated(name)) {
      issues.add(name, "is given twice");
    }
  }

  private boolean mayBeRepeated(String name) {
    return name.endsWith("[]") || rules.get(name) instanceof Rule.Files;
  }

  /**
   * True for the spellings in which SDKs flatten the routing object, and for its alias
   * (docs/decisions/routing.md#preferences).
   */
  private static boolean isRoutingField(String folded) {
    return folded.equals("provider")
        || Stream.of("routing[", "routing.", "provider[", "provider.").anyMatch(folded::startsWith);
  }

  private static void value(MultipartForm form, FormPart part, Rule rule, Issues issues) {
    switch (rule) {
      case Rule.File _, Rule.Files _ -> file(part, issues);
      case Rule.Text text -> {
        if (part.isFile()) {
          issues.add(part.name(), "must be text, not a file");
        } else if (part.sizeBytes() > text.bytesMax()) {
          issues.add(part.name(), "must not have more than %,d bytes".formatted(text.bytesMax()));
        } else if (!form.isText(part)) {
          issues.add(part.name(), "must be text in UTF-8");
        } else if (part.sizeBytes() > 0 && !text.test().test(form.text(part))) {
          issues.add(part.name(), text.message());
        }
      }
    }
  }

  private static void file(FormPart part, Issues issues) {
    if (!part.isFile()) {
      issues.add(part.name(), "must be a file: its part has no filename");
    } else if (part.sizeBytes() == 0) {
      issues.add(part.name(), "must not be empty");
    }
  }

  /** Returns the name of the requested model; null if it is missing, which was reported before. */
  public static @Nullable String model(MultipartForm form, Issues issues) {
    Optional<FormPart> part = form.part("model").filter(form::isText);
    return part.isEmpty() || part.get().sizeBytes() > TEXT_BYTES_MAX
        ? null
        : RequestRoot.modelName(form.text(part.get()), issues);
  }

  /** Reads the routing preferences: a JSON object as text, or the name of a strategy. */
  public static RoutingFields.Read routing(MultipartForm form, Issues issues) {
    String text =
        form.part("routing")
            .filter(part -> part.sizeBytes() <= TEXT_BYTES_MAX && form.isText(part))
            .map(form::text)
            .orElse("")
            .strip();
    JsonBytes value = JsonBytes.NULL;
    if (text.startsWith("{")) {
      value = object(text);
      if (value == null) {
        issues.add("routing", "must be a JSON object or the name of a strategy");
        value = JsonBytes.NULL;
      }
    } else if (!text.isEmpty()) {
      value = JsonBytes.string(text);
    }
    byte[] wrapped = JsonBytes.value(Map.of("routing", value)).toString().getBytes(UTF_8);
    return RoutingFields.read(JsonMembers.ofKept(wrapped), issues);
  }

  private static @Nullable JsonBytes object(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    try {
      var _ = JsonMembers.of(bytes, 0, bytes.length);
      return JsonBytes.raw(bytes);
    } catch (InvalidJson e) {
      return null;
    }
  }
}
