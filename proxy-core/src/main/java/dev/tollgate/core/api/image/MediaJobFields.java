package dev.tollgate.core.api.image;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.net.PublicUrl;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validation rules of the fields of a request for a video or music job
 * (docs/decisions/jobs.md#fields).
 */
final class MediaJobFields {
  static final String WEBHOOK_URL = "webhook_url";
  static final String METADATA = "metadata";
  static final String MAX_COST = "max_cost_micro";
  static final String DURATION = "duration_seconds";

  /**
   * Names of fields with URLs that the gateway or the provider calls, besides the list of images.
   */
  static final List<String> URLS = List.of(WEBHOOK_URL, "image_url", "end_image_url");

  /** Single pictures among them, in the order in which they are stored behind the list. */
  static final List<String> PICTURES = URLS.subList(1, URLS.size());

  private static final int PROMPT_CHARACTERS_MAX = 10_000;
  private static final int VIDEO_SECONDS_MAX = 120;
  private static final int MUSIC_SECONDS_MAX = 600;
  private static final int SAMPLE_RATE_MAX = 384_000;
  private static final int RESOLUTION_CHARACTERS_MAX = 64;
  private static final int METADATA_MEMBERS_MAX = 256;
  private static final int METADATA_CHARACTERS_MAX = 16_384;
  private static final Set<String> FORMATS = Set.of("mp3", "wav", "flac");
  private static final Pattern RATIO = Pattern.compile("[1-9]\\d{0,4}:[1-9]\\d{0,4}");

  private MediaJobFields() {}

  static Map<String, ValueRule> rules(JobKind kind) {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    rules.put("prompt", MediaJobFields::prompt);
    rules.put(WEBHOOK_URL, FieldRules.rule(MediaJobFields::url).orNull());
    rules.put(METADATA, FieldRules.rule(MediaJobFields::metadata).orNull());
    rules.put(MAX_COST, ValueRule.integer(0, Long.MAX_VALUE).orNull());
    switch (kind) {
      case VIDEO -> {
        rules.put(DURATION, ValueRule.number(1, VIDEO_SECONDS_MAX).orNull());
        rules.put("image_url", FieldRules.rule(MediaJobFields::url).orNull());
        rules.put("end_image_url", FieldRules.rule(MediaJobFields::url).orNull());
        rules.put(SourceImages.MEMBER, FieldRules.rule(SourceImages::check).orNull());
        rules.put("resolution", FieldRules.rule(MediaJobFields::resolution).orNull());
        rules.put("aspect_ratio", FieldRules.rule(MediaJobFields::ratio).orNull());
        rules.put("audio", ValueRule.bool().orNull());
      }
      case MUSIC -> {
        rules.put(DURATION, ValueRule.number(1, MUSIC_SECONDS_MAX).orNull());
        rules.put("format", FieldRules.rule(MediaJobFields::format).orNull());
        rules.put("sample_rate", ValueRule.integer(1, SAMPLE_RATE_MAX).orNull());
        rules.put("instrumental", ValueRule.bool().orNull());
      }
    }
    return rules;
  }

  private static void prompt(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.STRING) {
      issues.add(param, "must be a string");
    } else if (items.isEmptyString(i)) {
      issues.add(param, "must not be empty");
    } else if (ImageFields.characters(items.string(i)) > PROMPT_CHARACTERS_MAX) {
      issues.add(param, "must not have more than 10,000 characters");
    }
  }

  private static void url(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.STRING) {
      issues.add(param, "must be an https URL");
    } else if (PublicUrl.parse(items.string(i))
        instanceof PublicUrl.UrlParseResult.Malformed malformed) {
      issues.add(param, malformed.why());
    }
  }

  private static void resolution(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING && !items.isEmptyString(i);
    if (!isText || items.string(i).length() > RESOLUTION_CHARACTERS_MAX) {
      issues.add(param, "must be a string such as 720p");
    }
  }

  private static void ratio(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || !RATIO.matcher(items.string(i)).matches()) {
      issues.add(param, "must be of the form <width>:<height>, such as 16:9");
    }
  }

  private static void format(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || !FORMATS.contains(items.string(i))) {
      issues.add(param, "must be mp3, wav or flac");
    }
  }

  private static void metadata(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.OBJECT) {
      issues.add(param, "must be an object of strings");
      return;
    }
    JsonMembers pairs = items.object(i);
    if (pairs.size() > METADATA_MEMBERS_MAX) {
      issues.add(param, "must not have more than 256 members");
      return;
    }
    if (items.valueEnd(i) - items.valueStart(i) > METADATA_CHARACTERS_MAX) {
      issues.add(param, "must not be longer than 16,384 bytes");
      return;
    }
    Set<String> names = new HashSet<>();
    for (int k = 0; k < pairs.size() && !issues.isFull(); k++) {
      Param each = param.dot(pairs.name(k));
      if (!names.add(pairs.name(k))) {
        issues.add(each, "is given twice");
      }
      ValueRule.string().check(pairs, k, each, issues);
    }
  }
}
