package dev.tollgate.server.settings.binding;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.ScalarFormat.Parsed;
import dev.tollgate.server.settings.value.AutoSwitch;
import dev.tollgate.server.settings.value.ByteSize;
import dev.tollgate.server.settings.value.EventLoops;
import dev.tollgate.server.settings.value.MasterKey;
import dev.tollgate.server.settings.value.TimeSpan;
import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Table of the {@link ScalarFormat} of every Java type that a scalar setting can have. */
final class ScalarFormats {
  private static final String MONEY = "[0-9]{1,12}(\\.[0-9]{1,6})?";
  private static final String DECIMAL = "[0-9]{1,9}(\\.[0-9]{1,9})?";

  private ScalarFormats() {}

  /** Returns the format of a component's type. */
  static ScalarFormat of(Class<?> type, Key key) {
    if (type == int.class || type == long.class || type == Integer.class) {
      return number(type, key.bytes());
    }
    if (type == String.class) {
      return text(key);
    }
    if (type == Secret.class) {
      return secret(key.keepsEmpty());
    }
    return type.isEnum() ? choice(type) : ofValue(type);
  }

  /** Makes the formats that are asked for alone: a command needs a few of them. */
  private static ScalarFormat ofValue(Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return flag();
    } else if (type == double.class) {
      return fraction();
    } else if (type == Duration.class) {
      return duration();
    } else if (type == MicroUsd.class) {
      return money();
    } else if (type == MasterKey.class) {
      return masterKey();
    } else if (type == BigDecimal.class) {
      return decimal();
    } else if (type == LocalDate.class) {
      return day();
    } else if (type == ModelId.class) {
      return modelId();
    } else if (type == ProviderId.class) {
      return providerId();
    } else if (type == EventLoops.class) {
      return eventLoops();
    } else if (type == AutoSwitch.class) {
      return autoSwitch();
    } else if (type == Path.class) {
      return path();
    }
    return AddressFormats.of(type);
  }

  private static ScalarFormat duration() {
    return format(
        "a duration such as 50ms, 30s, 10m, 24h or 7d",
        TimeSpan::parse,
        value -> TimeSpan.print((Duration) value),
        pattern("^[0-9]{1,9}(ms|s|m|h|d)$"));
  }

  private static ScalarFormat decimal() {
    return format(
        "a decimal number such as \"1.5\"",
        text -> text.matches(DECIMAL) ? Optional.of(new BigDecimal(text)) : Optional.empty(),
        value -> ((BigDecimal) value).toPlainString(),
        Map.of("type", List.of("string", "number"), "pattern", "^" + DECIMAL + "$"));
  }

  private static ScalarFormat day() {
    return format(
        "a date such as 2025-06-30",
        ScalarFormats::date,
        Object::toString,
        pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"));
  }

  private static ScalarFormat modelId() {
    return format(
        "a model id <vendor>/<name> of visible ASCII",
        ModelId::parse,
        Object::toString,
        pattern("^[^/\\s]+/\\S+$"));
  }

  private static ScalarFormat providerId() {
    return format(
        "a name of a-z, 0-9, '.', '_' and '-', at most 64",
        text -> ProviderId.isValid(text) ? Optional.of(new ProviderId(text)) : Optional.empty(),
        Object::toString,
        pattern("^[a-z0-9][a-z0-9._-]{0,63}$"));
  }

  private static ScalarFormat eventLoops() {
    return format(
        "auto or a number of threads",
        EventLoops::parse,
        value -> ((EventLoops) value).count() == 0 ? "auto" : ((EventLoops) value).count(),
        Map.of("anyOf", List.of(Map.of("const", "auto"), Map.of("type", "integer"))));
  }

  private static ScalarFormat autoSwitch() {
    return format(
        "auto, true or false",
        AutoSwitch::parse,
        value -> ((AutoSwitch) value).print(),
        Map.of("enum", List.of("auto", true, false)));
  }

  static ScalarFormat format(
      String expects,
      Function<String, Optional<?>> parse,
      Function<Object, Object> print,
      Map<String, Object> schema) {
    return new ScalarFormat(expects, (text, _) -> fit(parse.apply(text)), print, schema, false);
  }

  static Parsed fit(Optional<?> value) {
    return value.isPresent() ? new Parsed.Ok(value.get()) : new Parsed.Mismatch();
  }

  static Map<String, Object> pattern(String regex) {
    return Map.of("type", "string", "pattern", regex);
  }

  private static ScalarFormat flag() {
    return format(
        "true or false",
        text ->
            switch (text) {
              case "true" -> Optional.of(true);
              case "false" -> Optional.of(false);
              default -> Optional.empty();
            },
        Function.identity(),
        Map.of("type", "boolean"));
  }

  private static ScalarFormat fraction() {
    return format(
        "a number such as 0.05",
        text -> text.matches(DECIMAL) ? Optional.of(Double.parseDouble(text)) : Optional.empty(),
        Function.identity(),
        Map.of("type", "number"));
  }

  private static ScalarFormat number(Class<?> type, boolean bytes) {
    String expects = bytes ? "a size such as 32KiB, 10MiB or 1GiB" : "a whole number";
    boolean isLong = type == long.class;
    long greatest = isLong ? Long.MAX_VALUE : Integer.MAX_VALUE;
    return new ScalarFormat(
        expects,
        (text, _) -> {
          OptionalLong number = bytes ? ByteSize.parse(text) : wholeNumber(text);
          if (number.isEmpty()) {
            return new Parsed.Mismatch();
          }
          if (number.getAsLong() > greatest || number.getAsLong() < -greatest) {
            return new Parsed.Refused("is too large");
          }
          long value = number.getAsLong();
          return new Parsed.Ok(isLong ? (Object) value : (Object) (int) value);
        },
        value -> bytes ? ByteSize.print(((Number) value).longValue()) : value,
        bytes
            ? Map.of(
                "type",
                List.of("string", "integer"),
                "pattern",
                "^[0-9]{1,15}(B|KiB|MiB|GiB|TiB)?$")
            : Map.of("type", "integer"),
        false);
  }

  private static OptionalLong wholeNumber(String text) {
    return text.matches("-?\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }

  private static ScalarFormat text(Key key) {
    String expects = key.expects().isEmpty() ? "text" : key.expects();
    return format(
        expects,
        text ->
            key.pattern().isEmpty() || text.matches(key.pattern())
                ? Optional.of(text)
                : Optional.empty(),
        Function.identity(),
        key.pattern().isEmpty() ? Map.of("type", "string") : pattern("^" + key.pattern() + "$"));
  }

  private static ScalarFormat money() {
    return new ScalarFormat(
        "USD such as \"0.15\"",
        (text, _) -> {
          if (text.matches("-\\d+(\\.\\d+)?")) {
            return new Parsed.Refused("must not be negative");
          }
          if (text.matches("\\d+\\.\\d{7,}")) {
            return new Parsed.Refused("must have at most 6 decimals");
          }
          return text.matches(MONEY) ? new Parsed.Ok(MicroUsd.ofUsd(text)) : new Parsed.Mismatch();
        },
        value -> ((MicroUsd) value).toUsd(),
        Map.of("type", List.of("string", "number"), "pattern", "^" + MONEY + "$", "minimum", 0),
        false);
  }

  private static ScalarFormat secret(boolean mayBeEmpty) {
    return new ScalarFormat(
        "a secret",
        (text, _) -> {
          if (text.isEmpty() && !mayBeEmpty) {
            return new Parsed.Refused("must not be empty");
          }
          boolean printable = text.chars().allMatch(c -> c >= ' ' && c != 0x7f);
          return printable
              ? new Parsed.Ok(new Secret(text))
              : new Parsed.Refused("holds a line break or another control character");
        },
        _ -> "***",
        Map.of("type", "string"),
        true);
  }

  private static ScalarFormat masterKey() {
    return new ScalarFormat(
        "the Base64 of 32 bytes, as from openssl rand -base64 32",
        (text, _) -> fit(MasterKey.parse(text)),
        _ -> "***",
        Map.of("type", "string"),
        true);
  }

  private static ScalarFormat path() {
    return new ScalarFormat(
        "a path",
        (text, folder) -> {
          try {
            return text.isEmpty()
                ? new Parsed.Refused("must not be empty")
                : new Parsed.Ok(folder.resolve(text).normalize());
          } catch (InvalidPathException e) {
            return new Parsed.Mismatch();
          }
        },
        Object::toString,
        Map.of("type", "string", "minLength", 1),
        false);
  }

  private static Optional<LocalDate> date(String text) {
    try {
      return Optional.of(LocalDate.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static ScalarFormat choice(Class<?> type) {
    List<Enum<?>> constants =
        Arrays.stream(type.getEnumConstants())
            .<Enum<?>>map(constant -> (Enum<?>) constant)
            .toList();
    List<String> names = constants.stream().map(ScalarFormats::wire).toList();
    return format(
        names.size() == 1 ? names.getFirst() : "one of " + String.join(", ", names),
        text -> constants.stream().filter(constant -> wire(constant).equals(text)).findFirst(),
        value -> wire((Enum<?>) value),
        Map.of("enum", names));
  }

  private static String wire(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
