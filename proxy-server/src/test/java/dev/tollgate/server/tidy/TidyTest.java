package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassModel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** This checkout keeps the rules of the house. */
final class TidyTest {
  private final Checkout checkout = Checkout.ofThisBuild();

  @Test
  void packagesSeeOnlyWhatTheyMay() throws Exception {
    assertThat(PackageOrder.violations(classes())).isEmpty();
  }

  @Test
  void noClassUsesWhatIsNotItsBusiness() throws Exception {
    assertThat(ForbiddenReferences.violations(classes())).isEmpty();
  }

  @Test
  void noTimerHangsOnTheClockOnTheWall() throws Exception {
    assertThat(WallClocks.violations(classes())).isEmpty();
  }

  @Test
  void sourcesAreSmallAndDocumented() throws Exception {
    assertThat(SourceRules.violations(checkout.files())).isEmpty();
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
  void theRulesSeeBothModules() throws Exception {
    assertThat(classes())
        .extracting(model -> model.thisClass().asInternalName())
        .contains("dev/tollgate/core/id/KeyId", "dev/tollgate/server/cli/Main");
    assertThat(checkout.files())
        .extracting(TrackedFile::path)
        .contains("pom.xml", "proxy-core/src/main/java/dev/tollgate/core/id/KeyId.java");
    assertThat(checkout.files()).filteredOn(TrackedFile::isMigration).isNotEmpty();
  }

  private List<ClassModel> classes() throws Exception {
    List<ClassModel> classes = new ArrayList<>(checkout.classes("proxy-core"));
    classes.addAll(checkout.classes("proxy-server"));
    return classes;
  }
}
