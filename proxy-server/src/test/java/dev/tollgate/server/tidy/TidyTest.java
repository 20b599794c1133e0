package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** This checkout keeps the rules of the house. */
final class TidyTest {
  /**
   * Banned phrases that are left: a user of that name, and words of the mock. It only ever falls.
   */
  private static final int PHRASES = 3;

  private final Checkout checkout = Checkout.ofThisBuild();

  @Test
  void packagesSeeOnlyWhatTheyMay() throws Exception {
    assertThat(PackageOrder.violations(checkout.classes())).isEmpty();
  }

  @Test
  void noClassUsesWhatIsNotItsBusiness() throws Exception {
    assertThat(ForbiddenReferences.violations(checkout.classes())).isEmpty();
  }

  @Test
  void noTimerHangsOnTheClockOnTheWall() throws Exception {
    assertThat(WallClocks.violations(checkout.classes())).isEmpty();
  }

  @Test
  void sourcesAreSmallAndDocumented() throws Exception {
    assertThat(SourceRules.violations(checkout.files())).isEmpty();
  }

  @Test
  void namesAreTheFieldsTerms() throws Exception {
    assertThat(Vocabulary.violations(checkout.files(), checkout.classes())).isEmpty();
  }

  @Test
  void bannedPhrasesBecomeFewer() throws Exception {
    List<String> phrases = Vocabulary.phrases(checkout.files());
    assertThat(phrases)
        .as("more than PHRASES: use other words; fewer: lower PHRASES\n" + phrases)
        .hasSize(PHRASES);
  }

  @Test
  void migrationsMayRunBesideTheVersionBefore() throws Exception {
    assertThat(MigrationRules.violations(checkout.files())).isEmpty();
  }

  @Test
  void trackedFilesAreClean() throws Exception {
    assertThat(Hygiene.violations(checkout.files())).isEmpty();
  }

  @Test
  void referencesToTheDocumentationResolve() throws Exception {
    assertThat(DocReferences.violations(checkout.files())).isEmpty();
  }

  @Test
  void theRulesSeeEveryModule() throws Exception {
    assertThat(checkout.classes())
        .extracting(model -> model.thisClass().asInternalName())
        .contains(
            "dev/tollgate/core/id/KeyId",
            "dev/tollgate/server/cli/Main",
            "dev/tollgate/mock/MockProvider",
            "dev/tollgate/bench/BenchPlan");
    assertThat(checkout.files())
        .extracting(TrackedFile::path)
        .contains("pom.xml", "proxy-core/src/main/java/dev/tollgate/core/id/KeyId.java");
    assertThat(checkout.files()).filteredOn(TrackedFile::isMigration).isNotEmpty();
  }
}
