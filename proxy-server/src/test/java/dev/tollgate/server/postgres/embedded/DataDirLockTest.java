package dev.tollgate.server.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.server.settings.value.FileFailure;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory that cannot be used is told with the reason, which the JDK may leave out. */
final class DataDirLockTest {
  @Test
  void theReasonIsTold(@TempDir Path folder) throws Exception {
    Path below = Files.createFile(folder.resolve("file")).resolve("data");
    assertThatThrownBy(() -> DataDirLock.tryAcquire(below))
        .isInstanceOf(StoreException.class)
        .hasMessage("cannot use the data directory " + below + ": Not a directory");
  }

  /** Not by a directory without permission: root may use any. */
  @Test
  void failuresWhoseMessageIsTheirPathHaveAReason() {
    assertThat(FileFailure.reason(new AccessDeniedException("/x"))).isEqualTo("permission denied");
    assertThat(FileFailure.reason(new NoSuchFileException("/x"))).isEqualTo("it does not exist");
    assertThat(FileFailure.reason(new MalformedInputException(1)))
        .isEqualTo("it is not UTF-8 text");
    assertThat(FileFailure.reason(new FileSystemException("/x", null, "Read-only file system")))
        .isEqualTo("Read-only file system");
    assertThat(FileFailure.reason(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
  }
}
