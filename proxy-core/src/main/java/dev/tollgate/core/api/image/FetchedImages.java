package dev.tollgate.core.api.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Images of a job that the gateway fetched, which take the place of their URLs.
 *
 * @param byParam by the JSON path of their URL
 */
record FetchedImages(Map<String, FetchResult.Image> byParam) {
  /** Returns these and the images that the client sent, in the order of a stored job. */
  List<JobImage> among(List<JobImage> sent) {
    Map<Integer, JobImage> listed = new TreeMap<>();
    sent.forEach(
        image -> {
          if (image instanceof SentImage one) {
            listed.put(one.index(), one);
          }
        });
    for (int k = 0; k < SourceImages.COUNT_MAX; k++) {
      FetchResult.Image image = byParam.get(SourceImages.MEMBER + "[" + k + "]");
      if (image != null) {
        listed.put(k, new JobImage.Fetched(image));
      }
    }
    List<JobImage> all = new ArrayList<>(listed.values());
    for (String name : MediaJobFields.PICTURES) {
      FetchResult.Image image = byParam.get(name);
      if (image != null) {
        all.add(new JobImage.Fetched(image));
      }
    }
    return all;
  }

  /** Returns the stored parameters with a note instead of each URL. */
  JsonBytes replacedIn(JsonBytes params) {
    byte[] json = params.toString().getBytes(UTF_8);
    JsonMembers members = JsonMembers.ofKept(json);
    JsonSplice edits = JsonSplice.of(members);
    for (int i = 0; i < members.size(); i++) {
      String name = members.name(i);
      FetchResult.Image image = byParam.get(name);
      if (image != null) {
        edits.replace(i, note(image));
      } else if (name.equals(SourceImages.MEMBER) && members.kind(i) == JsonKind.ARRAY) {
        edits.replace(i, list(members.array(i)));
      }
    }
    byte[] replaced = new byte[edits.sizeBytes()];
    edits.writeTo(Unpooled.wrappedBuffer(replaced).clear());
    return JsonBytes.raw(replaced);
  }

  private JsonSplice list(JsonElements images) {
    JsonSplice edits = JsonSplice.of(images);
    for (int k = 0; k < images.size(); k++) {
      FetchResult.Image image = byParam.get(SourceImages.MEMBER + "[" + k + "]");
      if (image != null) {
        edits.replace(k, note(image));
      }
    }
    return edits;
  }

  private static JsonBytes note(FetchResult.Image image) {
    return JsonBytes.string("(an image of " + image.length() + " bytes, fetched by its URL)");
  }
}
