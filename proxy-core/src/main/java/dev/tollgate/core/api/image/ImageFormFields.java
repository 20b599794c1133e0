package dev.tollgate.core.api.image;

import dev.tollgate.core.api.FormFields;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Validation rules of the fields in a multipart image request, and their conversion to JSON fields.
 */
final class ImageFormFields {
  private static final Set<String> IMAGES = Set.of("image", "image[]");
  private static final int BYTES_AROUND = 1_024;
  private static final int PROMPT_BYTES_MAX = 4 * ImageFields.PROMPT_CHARACTERS_MAX;

  static final FormFields FIELDS = new FormFields(rules());

  private ImageFormFields() {}

  private static Map<String, FormFields.Rule> rules() {
    Map<String, FormFields.Rule> rules = new HashMap<>();
    IMAGES.forEach(name -> rules.put(name, new FormFields.Rule.Files()));
    rules.put("mask", new FormFields.Rule.File());
    rules.put("model", FormFields.text());
    rules.put("routing", FormFields.text());
    rules.put("style", FormFields.text());
    rules.put("user", FormFields.text());
    rules.put(
        "prompt",
        new FormFields.Rule.Text(
            text -> ImageFields.characters(text) <= ImageFields.PROMPT_CHARACTERS_MAX,
            ImageFields.PROMPT_TOO_LONG,
            PROMPT_BYTES_MAX));
    rules.put(
        "n", FormFields.integer(1, ImageOptions.COUNT_MAX, "must be an integer between 1 and 10"));
    rules.put("size", FormFields.matching(ImageFields.SIZE.pattern(), ImageFields.NOT_A_SIZE));
    rules.put("quality", FormFields.oneOf(ImageFields.QUALITIES, ImageFields.NOT_A_QUALITY));
    rules.put("response_format", FormFields.matching("url|b64_json", ImageFields.NOT_A_FORMAT));
    rules.put("stream", FormFields.oneOf(Set.of("false"), ImageFields.NOT_STREAMED));
    String elsewhere = "is not read in forms: send each image as a file named image";
    rules.put(SourceImages.MEMBER, FormFields.oneOf(Set.of(), elsewhere));
    rules.put(SourceImages.MEMBER + "[]", FormFields.oneOf(Set.of(), elsewhere));
    return rules;
  }

  /** Reports missing and wrong fields. */
  static void check(MultipartForm form, Issues issues) {
    List<FormPart> images = images(form);
    if (images.isEmpty()) {
      issues.add("image", "is required");
    } else if (images.size() > SourceImages.COUNT_MAX) {
      issues.add(images.getLast().name(), "must not occur more than 10 times");
    }
    if (form.part("prompt").isPresent() && form.sizeBytes("prompt") == 0) {
      issues.add("prompt", "must not be empty");
    }
    FIELDS.check(form, issues, "prompt", "model");
    for (FormPart part : form.parts()) {
      boolean isImage = part.isFile() && (IMAGES.contains(part.name()) || isMask(part));
      if (isImage && part.sizeBytes() > 0 && SourceImages.of(form, part).isEmpty()) {
        issues.add(part.name(), "must be a PNG, JPEG, WebP or GIF");
      }
    }
  }

  private static boolean isMask(FormPart part) {
    return part.name().equals("mask");
  }

  private static List<FormPart> images(MultipartForm form) {
    return form.parts().stream().filter(part -> IMAGES.contains(part.name())).toList();
  }

  /**
   * Returns the names of a valid form's fields that JSON has no counterpart for, see {@link
   * ImageFields}.
   */
  static List<String> beyondJson(MultipartForm form) {
    Set<String> beyond = new LinkedHashSet<>();
    Set<String> seen = new HashSet<>();
    for (FormPart part : form.parts()) {
      String name = part.name();
      boolean isWord = form.isText(part) && !ImageFields.UPSTREAM_IMAGE_FIELDS.contains(name);
      if (!IMAGES.contains(name) && !(isWord && seen.add(name))) {
        beyond.add(name);
      }
    }
    return List.copyOf(beyond);
  }

  /** Returns a valid form without such fields as the equivalent JSON request. */
  static ImageBody.PromptAndImages inJson(MultipartForm form) {
    ByteBuf json = Unpooled.buffer(form.sizeBytes("prompt") + BYTES_AROUND);
    JsonWriter out = new JsonWriter(json).beginObject();
    Map<Integer, SourceImages.Source> here = new HashMap<>();
    for (FormPart part : form.parts()) {
      if (IMAGES.contains(part.name())) {
        SourceImages.of(form, part).ifPresent(image -> here.put(here.size(), image));
      } else if (part.sizeBytes() > 0 && !part.name().equals("routing")) {
        out.name(part.name());
        switch (part.name()) {
          case "n", "stream" -> out.raw(JsonBytes.raw(form.text(part)));
          default -> out.string(form.text(part));
        }
      }
    }
    out.name(SourceImages.MEMBER).beginArray();
    for (int k = 0; k < here.size(); k++) {
      out.string(""); // placeholder for an image that is here
    }
    out.endArray().endObject();
    byte[] bytes = Arrays.copyOf(json.array(), json.writerIndex());
    return new ImageBody.PromptAndImages(JsonMembers.ofKept(bytes), here);
  }

  /** Returns the options of a valid form. */
  static ImageOptions options(MultipartForm form) {
    int masks = form.part("mask").isPresent() ? 1 : 0;
    return new ImageOptions(
        text(form, "n").map(n -> (int) FormFields.integer(n).orElse(1)).orElse(1),
        text(form, "size"),
        text(form, "quality"),
        ImageFormat.of(text(form, ImageBody.FORMAT)),
        form.sizeBytes("prompt"),
        images(form).size() + masks);
  }

  /** Returns a field's text; empty text counts as absent. */
  private static Optional<String> text(MultipartForm form, String name) {
    return form.text(name).filter(text -> !text.isEmpty());
  }
}
