// Writing files: what is refused, what a full disk or a signal leaves behind.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include "app/io/file.h"
#include "app/io/signals.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

TEST(Picture, RefusesOutputsThatCannotBe) {
  const TemporaryFolder folder;
  const auto failure = [&](const fs::path& path, const fs::path& input = {}) {
    return failure_of([&] { check_output(path, input); });
  };
  save(folder / "in.png", png_file({1, 1, 8, 0, "x", ""}));
  fs::create_symlink(folder / "in.png", folder / "link.png");
  fs::create_hard_link(folder / "in.png", folder / "hard.png");
  fs::create_symlink(folder / "nowhere.png", folder / "dangling.png");
  fs::create_directory(folder / "folder.png");
  ASSERT_EQ(mkfifo((folder / "pipe.png").c_str(), 0600), 0);

  for (const char* name : {"new.png", "new.JPG", "new.jpeg", "hard.png", "link.png"})
    EXPECT_EQ(failure(folder / name).message, "") << name;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_EQ(failure("new.png").message, "") << "a bare name lies in the current folder";
  expect_failure(failure("in.png", folder / "in.png"), "is the input itself");
  fs::current_path(before);
  for (const char* name : {"a.jp2", "a", "a.png.bak", "a.tga"})
    expect_failure(failure(folder / name), ".png, ", ErrorKind::usage);
  expect_failure(failure(folder / "none" / "a.png"), "no such file or directory");
  expect_failure(failure(folder / "in.png" / "a.png"), "is not a folder");
  expect_failure(failure(folder / "folder.png"), "is a directory");
  EXPECT_EQ(failure(folder / "pipe.png").message, "") << "a pipe may have a reader by then";
  expect_failure(failure(folder / "dangling.png"), "leads nowhere");
  for (const char* name : {"in.png", "link.png", "hard.png"})
    expect_failure(failure(folder / name, folder / "in.png"), "is the input itself");
  EXPECT_EQ(failure(folder / "other.png", folder / "in.png").message, "");
}

TEST(Picture, RefusesAFolderWithoutWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_failure(failure_of([&] { check_output(folder / "a.png"); }), "not writable: permission denied");
  expect_failure(failure_of([&] { write_picture(folder / "a.png", smooth_picture(4, 4, 1)); }),
                 "not writable");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(Picture, AlphaDoesNotGoIntoJpeg) {
  const TemporaryFolder folder;
  expect_failure(failure_of([&] { write_picture(folder / "a.jpg", smooth_picture(4, 4, 4)); }), "alpha");
  EXPECT_TRUE(folder.names().empty());
}

// Runs `body` in a child process and returns how that ended, as waitpid tells.
int status_of_child(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Picture, AFullDiskLeavesTheFolderAsItWas) {
  const TemporaryFolder folder;
  save(folder / "old.png", "what was there before");
  for (const char* name : {"new.png", "old.png"})
    for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
      const int status = status_of_child([&] {
        install_signal_handlers();  // or SIGXFSZ would end the process
        const rlimit limit = {5000, 5000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
        const Failure failure = failure_of([&] {
          AtomicFile file(folder / name, temporary);
          const std::vector<std::byte> data(100'000);
          file.write(data);
          file.commit();
        });
        if (failure.message.find("cannot be written: file too large") == std::string::npos) return 2;
        const Picture noise = random_picture<std::uint8_t>(100, 100, 3);
        return failure_of([&] { write_picture(folder / name, noise); }).message.empty() ? 3 : 0;
      });
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      EXPECT_EQ(folder.names(), std::vector<std::string>{"old.png"});
      EXPECT_EQ(load(folder / "old.png"), "what was there before");
    }
}

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(AtomicFile, AppearsWholeOrNotAtAll) {
  for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const TemporaryFolder folder;
    {
      AtomicFile abandoned(folder / "a", temporary);
      abandoned.write(as_bytes("half"));
    }
    EXPECT_TRUE(folder.names().empty());
    for (const char* text : {"first", "second"}) {
      AtomicFile file(folder / "a", temporary);
      file.write(as_bytes(text));
      EXPECT_NE(load(folder / "a"), text);
      file.commit();
      EXPECT_EQ(load(folder / "a"), text);
      EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
    }
  }
}

TEST(AtomicFile, NeverOverwritesWhatHasComeInTheMeantime) {
  for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const TemporaryFolder folder;
    const auto put = [&](const char* name, bool in_the_meantime) {
      AtomicFile file(folder / name, temporary, {.never = true});
      file.write(as_bytes("new"));
      if (in_the_meantime) save(folder / name, "another's");
      file.commit();
    };
    expect_failure(failure_of([&] { put("a", true); }), "file exists");
    EXPECT_EQ(load(folder / "a"), "another's");
    put("b", false);
    EXPECT_EQ(load(folder / "b"), "new");
    EXPECT_EQ(folder.names().size(), 2u) << "and no temporary file";
  }
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
  const auto mode = [](const fs::path& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0u;
  };
  for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const TemporaryFolder folder;
    const auto put = [&](const char* name, const std::string& text) {
      AtomicFile file(folder / name, temporary);
      file.write(as_bytes(text));
      file.commit();
    };
    const mode_t before = umask(027);
    put("fresh", "text");
    umask(before);
    EXPECT_EQ(mode(folder / "fresh"), 0640u);
    save(folder / "old", "old");
    ASSERT_EQ(chmod((folder / "old").c_str(), 0604), 0);
    fs::create_symlink("old", folder / "link");
    put("link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(load(folder / "old"), "new");
    EXPECT_EQ(mode(folder / "old"), 0604u);
  }
}

/// Skips a test of signals that act at once: ThreadSanitizer keeps them until the next call of the system.
#ifdef __SANITIZE_THREAD__
#define SCANLENS_NEEDS_PROMPT_SIGNALS() GTEST_SKIP() << "ThreadSanitizer delays signals"
#else
#define SCANLENS_NEEDS_PROMPT_SIGNALS() static_cast<void>(0)
#endif

TEST(Signals, WaitForTheCommitInHand) {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_child([&] {
      install_signal_handlers();
      AtomicFile file(folder / "done", AtomicFile::Temporary::named);
      file.write(as_bytes("whole"));
      raise(signal);
      file.commit();
      return 1;  // not reached: the signal takes effect when the commit is over
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"done"});
    EXPECT_EQ(load(folder / "done"), "whole");
  }
}

TEST(Signals, TakeEffectAtOnceOtherwise) {
  SCANLENS_NEEDS_PROMPT_SIGNALS();
  const int status = status_of_child([] {
    install_signal_handlers();
    { const CommitGuard over; }
    raise(SIGTERM);
    return 1;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  const int nested = status_of_child([] {
    install_signal_handlers();
    const CommitGuard outer;
    raise(SIGINT);
    { const CommitGuard inner; }
    _exit(7);  // still within the outer guard
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(nested) && WEXITSTATUS(nested) == 7) << nested;
}

TEST(Signals, NeedNotWaitForALongFileToBeWritten) {
  SCANLENS_NEEDS_PROMPT_SIGNALS();
  for (const auto temporary : {AtomicFile::Temporary::named, AtomicFile::Temporary::nameless}) {
    const TemporaryFolder folder;
    const int status = status_of_child([&] {
      install_signal_handlers();
      AtomicFile file(folder / "endless", temporary);
      file.write(as_bytes("begun"));
      raise(SIGTERM);
      file.write(as_bytes("and not ended"));
      return 1;  // not reached
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(Signals, LeaveNoTemporaryFileOfManyThreads) {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    ASSERT_GE(child, 0);  // kill(-1) would end every process there is
    if (child == 0) {
      install_signal_handlers();
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; ++i)
        threads.emplace_back([&folder, i] {
          const std::vector<std::byte> data(100'000);
          for (;;) {
            AtomicFile file(folder / std::to_string(i), AtomicFile::Temporary::named);
            file.write(data);
            file.commit();
          }
        });
      for (std::thread& thread : threads) thread.join();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + round));
    kill(child, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    for (const std::string& name : folder.names()) {
      EXPECT_EQ(name.size(), 1u) << name;
      EXPECT_EQ(fs::file_size(folder / name), 100'000u) << name;
    }
  }
}

// Work that hangs in the middle of a commit is not waited for by a person who asks twice.
TEST(Signals, ASecondOneWaitsForNoCommit) {
  SCANLENS_NEEDS_PROMPT_SIGNALS();
  const TemporaryFolder folder;
  save(folder / "old", "what was there before");
  const int status = status_of_child([&] {
    install_signal_handlers();
    AtomicFile fresh(folder / "fresh", AtomicFile::Temporary::named);
    AtomicFile old(folder / "old", AtomicFile::Temporary::named);
    fresh.write(as_bytes("begun"));
    raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    raise(SIGTERM);
    return 1;  // not reached
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
  EXPECT_EQ(load(folder / "old"), "what was there before");
}

// `timeout` sends its signal to the program and to its group.
TEST(Signals, OneThatComesTwiceAtOnceIsOne) {
  const TemporaryFolder folder;
  const int status = status_of_child([&] {
    install_signal_handlers();
    AtomicFile file(folder / "done", AtomicFile::Temporary::named);
    file.write(as_bytes("whole"));
    raise(SIGTERM);
    raise(SIGTERM);
    file.commit();
    return 1;  // not reached
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"done"});
}

// tests/cli/batch_test.py has a run that hangs.
TEST(Signals, WaitTenSecondsAndLongerForACommitThatGoesOn) {
  SCANLENS_TAKES_SECONDS();
  const TemporaryFolder folder;
  const int status = status_of_child([&] {
    install_signal_handlers();
    AtomicFile file(folder / "done", AtomicFile::Temporary::named);
    file.write(as_bytes("whole"));
    raise(SIGTERM);
    for (int second = 0; second < 12; ++second) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      note_progress();
    }
    file.commit();
    return 1;  // not reached
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"done"});
}

TEST(Signals, RespectWhatWasIgnoredBefore) {
  const int status = status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);
    install_signal_handlers();
    raise(SIGHUP);
    return 7;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace scanlens::test
