package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accounts of people on the command line, as an operator who is locked out uses it. */
class UsersCommandIT {
  @TempDir private Path folder;

  private Verbs.CommandResult run(String arguments) {
    return Verbs.run((arguments + " --config " + folder.resolve("tollgate.yaml")).split(" "));
  }

  private void configure() throws Exception {
    StoreOptions store = SharedPostgres.newDatabase();
    Secret password = Objects.requireNonNull(store.password());
    Files.writeString(
        folder.resolve("tollgate.yaml"),
        """
        version: 1
        listeners: { control: { public_url: "https://gate.example/" } }
        store: { url: "%s", username: "%s", password: "%s", data_dir: ./data }
        providers: { mock: { type: mock } }
        models: {}
        """
            .formatted(store.url(), store.username(), password.reveal()));
  }

  @Test
  void anOperatorIsCreatedListedDisabledAndGetsALink() throws Exception {
    configure();

    var made = run("users create ann@a.example --operator --name Ann");
    assertThat(made.err()).doesNotContain("database");
    assertThat(made.out()).containsPattern("LINK +https://gate.example/reset#[\\w-]{43}\n");
    assertThat(run("users create ANN@a.example").exitCode()).isEqualTo(1);
    assertThat(run("users create bob@a.example").exitCode()).isZero();
    assertThat(run("users list").out()).containsPattern("ann@a.example +Ann +active +true");
    assertThat(run("users list -o json").out())
        .contains("\"email\" : \"bob@a.example\"")
        .doesNotContain("hash");

    assertThat(run("users disable ann@a.example").err()).contains("an active operator");
    assertThat(run("users operator bob@a.example").out()).containsPattern("OPERATOR +true");
    assertThat(run("users disable ann@a.example").out()).containsPattern("STATE +disabled");
    assertThat(run("users enable ann@a.example").out()).containsPattern("STATE +active");
    assertThat(run("users operator bob@a.example --remove").out())
        .containsPattern("OPERATOR +false");
    assertThat(run("users show bob@a.example").out()).containsPattern("PASSWORD +false");
    assertThat(run("users reset-link bob@a.example").out()).contains("https://gate.example/reset#");
    assertThat(run("users sessions bob@a.example").out()).contains("LAST_SEEN_AT");
    assertThat(run("users sessions bob@a.example --end").out()).containsPattern("ENDED +0");
    assertThat(run("users show nobody@a.example").err())
        .contains("there is no account of nobody@a.example");
  }
}
