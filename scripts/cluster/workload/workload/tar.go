package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// tarCommand knows what kubectl cp asks for: `tar cf - FILE` and `tar -xmf - [-C FOLDER]`.
func tarCommand(args []string) error {
	if len(args) < 3 || args[1] != "-" {
		return fmt.Errorf("tar: not supported: %s", strings.Join(args, " "))
	}
	switch flags := strings.TrimPrefix(args[0], "-"); {
	case flags == "cf" && len(args) == 3:
		return pack(args[2])
	case strings.HasPrefix(flags, "x"):
		folder := "."
		for at, arg := range args {
			if arg == "-C" && at+1 < len(args) {
				folder = args[at+1]
			}
		}
		return unpack(folder)
	}
	return fmt.Errorf("tar: not supported: %s", strings.Join(args, " "))
}

func pack(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out := tar.NewWriter(os.Stdout)
	header := &tar.Header{Name: strings.TrimPrefix(name, "/"), Mode: 0o644, Size: int64(len(content))}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	if _, err := out.Write(content); err != nil {
		return err
	}
	return out.Close()
}

func unpack(folder string) error {
	in := tar.NewReader(os.Stdin)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, header.Name), content, 0o644); err != nil {
			return err
		}
	}
}
