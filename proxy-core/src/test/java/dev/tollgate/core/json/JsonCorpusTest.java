package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** JSONTestSuite: both readers accept and refuse the same documents, as the suite demands. */
@Tag("corpus")
class JsonCorpusTest {
  private static final String FOLDER = "wire/json/test_parsing";

  @Test
  void everyValidDocumentIsAccepted() {
    for (Path file : files("y_")) {
      assertThat(JsonVerdict.ofBoth(Corpora.bytes(file)))
          .as(file.getFileName().toString())
          .isIn("ok", "NOT_AN_OBJECT");
    }
  }

  @Test
  void everyInvalidDocumentIsRefused() {
    for (Path file : files("n_")) {
      assertThat(JsonVerdict.ofBoth(Corpora.bytes(file)))
          .as(file.getFileName().toString())
          .isIn("MALFORMED", "TOO_DEEP");
    }
  }

  @Test
  void openCasesAreDecidedAlike() {
    for (Path file : files("i_")) {
      JsonVerdict.ofBoth(Corpora.bytes(file));
    }
  }

  @Test
  void otherEncodingsAreRefused() {
    for (Path file : files("i_")) {
      String name = file.getFileName().toString();
      if (name.contains("utf16") || name.contains("UTF-16") || name.contains("BOM")) {
        assertThat(JsonVerdict.ofBoth(Corpora.bytes(file))).as(name).isEqualTo("MALFORMED");
      }
    }
  }

  @Test
  void clientBodiesAreJsonExactlyWhereTheCorpusExpectsIt() {
    for (String[] row : Corpora.rows("data/badjson.tsv")) {
      String verdict = JsonVerdict.ofBoth(Corpora.bytes("data/badjson/" + row[0]));
      assertThat(verdict.equals("MALFORMED"))
          .as(row[0] + " is " + verdict)
          .isEqualTo(row[3].equals("invalid_json"));
    }
  }

  private static List<Path> files(String prefix) {
    List<Path> files =
        Corpora.files(FOLDER).stream()
            .filter(file -> file.getFileName().toString().startsWith(prefix))
            .toList();
    assertThat(files).isNotEmpty();
    return files;
  }
}
