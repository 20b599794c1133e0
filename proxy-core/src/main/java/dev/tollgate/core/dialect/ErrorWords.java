package dev.tollgate.core.dialect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Condition on the words of a provider's error: groups of terms of which each must be found, such
 * as {@code "prompt|input & token* & exceed*|too long"}. A term is a whole word or phrase, {@code
 * *} at its end makes it the beginning of one. A group that begins with {@code ^} looks at the
 * beginning of the message only, with {@code code:} at code, type and reason, where terms are parts
 * of words. None of a group that begins with {@code !} may be found in the message.
 */
final class ErrorWords {
  /** What gateways and servers write in front of the error that they pass on. */
  private static final List<String> PREFIXES =
      List.of(
          " error ",
          " bad request ",
          " badrequesterror ",
          " invalid_request_error ",
          " provider returned error ",
          " the model returned the following errors ",
          " litellm ",
          " sorry ");

  private enum Place {
    MESSAGE(""),
    BEGINNING("^"),
    CODE("code:"),
    NOWHERE("!");

    private final String sign;

    Place(String sign) {
      this.sign = sign;
    }
  }

  private record Group(Place place, List<String> terms) {
    static Group of(String written) {
      Place place =
          Arrays.stream(Place.values())
              .filter(one -> one != Place.MESSAGE && written.startsWith(one.sign))
              .findFirst()
              .orElse(Place.MESSAGE);
      String[] terms = written.substring(place.sign.length()).strip().split("\\|", -1);
      return new Group(
          place,
          Arrays.stream(terms).map(term -> place == Place.CODE ? term : ends(term)).toList());
    }

    private static String ends(String term) {
      return term.endsWith("*") ? " " + term.substring(0, term.length() - 1) : " " + term + " ";
    }

    boolean holds(Text text) {
      return switch (place) {
        case MESSAGE -> terms.stream().anyMatch(text.words::contains);
        case BEGINNING -> terms.stream().anyMatch(text.beginning::startsWith);
        case CODE -> terms.stream().anyMatch(text.code::contains);
        case NOWHERE -> terms.stream().noneMatch(text.words::contains);
      };
    }
  }

  /**
   * An error, prepared for comparison.
   *
   * @param words the message in lower case, each word between spaces
   * @param beginning the words without prefixes; empty if the message begins with a quotation,
   *     which may be the client's
   */
  record Text(String words, String beginning, String code) {
    /** What stands for a quotation. */
    private static final String QUOTED = " _ ";

    private static final Pattern QUOTATION =
        Pattern.compile(
            "\"[^\"]*+(?:\"|$)|`[^`]*+(?:`|$)|“[^”]*+(?:”|$)|(?<!\\w)[‘'](?:[^‘’']|(?<=\\w)['’](?=\\w))*+(?:['’]|$)");

    static Text of(ErrorBody error) {
      return of(error, error.message());
    }

    /** Returns an error without its quotations, which may be the client's. */
    static Text withoutQuotations(ErrorBody error) {
      return of(error, QUOTATION.matcher(error.message()).replaceAll(QUOTED));
    }

    private static Text of(ErrorBody error, String message) {
      String words = words(message);
      String code = error.code() + " " + error.type() + " " + error.reason();
      return new Text(
          words, isQuotation(message) ? "" : withoutPrefix(words), code.toLowerCase(Locale.ROOT));
    }

    private static String words(String message) {
      var words = new StringBuilder(message.length() + 2).append(' ');
      for (int i = 0; i < message.length(); i++) {
        char c = Character.toLowerCase(message.charAt(i));
        boolean isKept = Character.isLetterOrDigit(c) || "_<=>".indexOf(c) >= 0;
        if (isKept || words.charAt(words.length() - 1) != ' ') {
          words.append(isKept ? c : ' ');
        }
      }
      return words.charAt(words.length() - 1) == ' '
          ? words.toString()
          : words.append(' ').toString();
    }

    private static boolean isQuotation(String message) {
      String text = message.stripLeading();
      return text.isEmpty() || "\"'`[{“‘".indexOf(text.charAt(0)) >= 0;
    }

    private static String withoutPrefix(String words) {
      String rest = words;
      for (int i = 0; i < PREFIXES.size(); i++) {
        String prefix = PREFIXES.get(i);
        if (rest.startsWith(prefix)) {
          rest = rest.substring(prefix.length() - 1);
          i = -1;
        }
      }
      return rest;
    }
  }

  private final List<Group> groups;

  private ErrorWords(List<Group> groups) {
    this.groups = groups;
  }

  static ErrorWords of(String written) {
    List<Group> groups = new ArrayList<>();
    for (String group : written.split(" & ", -1)) {
      groups.add(Group.of(group.strip()));
    }
    return new ErrorWords(List.copyOf(groups));
  }

  boolean areIn(Text text) {
    return groups.stream().allMatch(group -> group.holds(text));
  }
}
