package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command group {@code tollgate jobs}: lists, shows and cancels video and music jobs. */
@Command(
    name = "jobs",
    description = "List, show and cancel media jobs.",
    mixinStandardHelpOptions = true,
    subcommands = {
      JobsCommand.ListJobsCommand.class,
      JobsCommand.ShowJobCommand.class,
      JobsCommand.CancelJobCommand.class
    })
final class JobsCommand extends CommandGroup {
  @Command(
      name = "list",
      description = "List the latest jobs, newest first.",
      mixinStandardHelpOptions = true)
  static final class ListJobsCommand extends OrgListCommand {
    @Option(
        names = "--status",
        paramLabel = "STATUS",
        description = "Only jobs with this status, such as running or failed.")
    private @Nullable String status;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      Optional<JobStatus> only = status == null ? Optional.empty() : JobStatus.parse(status);
      if (status != null && only.isEmpty()) {
        throw usage("unknown status " + status);
      }
      List<Job> latest = store.jobViews().list(org(store), only.orElse(null), limit());
      rows()
          .print(
              latest.stream().map(JobsCommand::row).toList(),
              "id",
              "kind",
              "model",
              "provider",
              "status",
              "progress",
              "estimated_cost_micro",
              "cost_micro",
              "created_at",
              "completed_at");
    }
  }

  @Command(
      name = "show",
      description = "Show a job with all its fields.",
      mixinStandardHelpOptions = true)
  static final class ShowJobCommand extends TenantCommand {
    @Parameters(paramLabel = "JOB", description = "The job's id.")
    private String id = "";

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      rows().print(row(findJob(store, id)));
    }
  }

  @Command(
      name = "cancel",
      description = "Cancel a job; a provider that runs it already is asked to cancel it too.",
      mixinStandardHelpOptions = true)
  static final class CancelJobCommand extends TenantCommand {
    @Parameters(paramLabel = "JOB", description = "The job's id.")
    private String id = "";

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      JobId job = findJob(store, id).id();
      switch (store.jobViews().cancel(job)) {
        case CANCELED -> out().println(job + " is canceled");
        case REQUESTED -> out().println(job + ": its provider is asked to cancel it");
        case ALREADY_ENDED -> throw new CommandFailedException("job " + job + " has ended");
        case NOT_FOUND -> throw new CommandFailedException("there is no job " + id);
      }
    }
  }

  private static Job findJob(Store store, String id)
      throws SQLException, StoreBackedCommand.CommandFailedException {
    Optional<JobId> name = JobId.parse(id);
    Optional<Job> job = name.isEmpty() ? Optional.empty() : store.jobViews().find(null, name.get());
    return job.orElseThrow(
        () -> new StoreBackedCommand.CommandFailedException("there is no job " + id));
  }

  /** Returns the fields of a job without URLs, which are only for the owner of the job. */
  private static ObjectNode row(Job job) {
    String json = JobJson.of(job, name -> new SignedUrl(name.toString(), Instant.EPOCH)).toString();
    ObjectNode row = RowPrinter.parsed(json);
    row.withArray("/artifacts")
        .forEach(
            artifact -> {
              ((ObjectNode) artifact).set("blob", artifact.get("url"));
              ((ObjectNode) artifact).remove(List.of("url", "expires_at"));
            });
    return row;
  }
}
